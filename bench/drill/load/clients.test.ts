import { setTimeout as delay } from "node:timers/promises";
import { newEventId } from "@tally/contract";
import { expect, test, vi } from "vitest";
import { Clients } from "./clients.ts";
import { listen } from "@tally/local/at-end";
import { stepsPlan } from "./steps-load.test-kit.ts";

// A server that accepts every event; the statuses in `first` come before.
const acceptAll = (first: number[] = []) =>
  listen((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(first.pop() ?? 201, { "tally-event-id": newEventId() }).end();
    });
  });

const clientsOf = async ({ url }: { readonly url: string }) => new Clients(await stepsPlan(url, 500));

test("a 503 and a 408 are sent again; another 4xx is a rejection", async () => {
  const clients = await clientsOf(await acceptAll([503, 408]));
  await vi.waitFor(() => expect(clients.figures().acknowledged).toBeGreaterThan(0), { timeout: 10_000 });
  expect(await clients.finish()).toMatchObject({ rejected: 0, unknown: 0 });

  const rejected = await clientsOf(await acceptAll([409]));
  await vi.waitFor(() => expect(rejected.figures().acknowledged).toBeGreaterThan(0), { timeout: 10_000 });
  expect((await rejected.finish()).rejected).toBe(1);
});

test("the time in which the load is held is in no gap", async () => {
  let delayMs = 0;
  const clients = await clientsOf(
    await listen((request, response) => {
      const accept = (): unknown => response.writeHead(201, { "tally-event-id": newEventId() }).end();
      request.resume().on("end", () => setTimeout(accept, delayMs));
    }),
  );
  await vi.waitFor(() => expect(clients.figures().acknowledged).toBeGreaterThan(0), { timeout: 10_000 });
  delayMs = 500;
  await delay(100);
  clients.hold(true);
  clients.figures();
  // Of what was sent before.
  const some = expect.toSatisfy((count: number) => count > 0);
  await expect.poll(() => clients.figures()).toMatchObject({ acknowledged: some, longestGapMs: 0 });
  await clients.finish();
});
