import { createServer } from "node:http";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { domains } from "@tally/domains";
import { newEventId } from "@tally/pipeline";
import { expect, onTestFinished, test, vi } from "vitest";
import { Clients } from "./clients.ts";

// A server that accepts every event; the statuses in `first` come before.
async function acceptAll(first: number[] = []) {
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(first.pop() ?? 201, { "tally-event-id": newEventId() }).end();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("a port was expected");
  return `http://127.0.0.1:${address.port}`;
}

async function clientsOf(url: string) {
  const directory = await mkdtemp(join(tmpdir(), "tally-clients-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  // A domain without a bulk route: the server does not know its response.
  const name = "steps";
  const plan = {
    urls: [url],
    domains: [name],
    eventsPerSecond: 500,
    inFlightMax: 50,
    finishWithinMs: 10_000,
    seed: 1,
    spread: "narrow",
    directory,
  } as const;
  return new Clients(
    plan,
    domains.filter((domain) => domain.name === name),
  );
}

test("a held load starts no events, and goes on afterwards", async () => {
  const clients = await clientsOf(await acceptAll());
  const sends = () => vi.waitFor(() => expect(clients.figures().acknowledged).toBeGreaterThan(0), { timeout: 10_000 });
  await sends();
  clients.hold(true);
  const nothing = async (): Promise<void> => {
    clients.figures();
    await delay(300);
    expect(clients.figures().acknowledged).toBe(0);
  };
  // Those in flight end.
  await vi.waitFor(nothing, { timeout: 10_000 });
  await nothing();
  clients.hold(false);
  await sends();
  await clients.finish();
});

test("a 503 and a 408 are sent again; another 4xx is a refusal", async () => {
  const clients = await clientsOf(await acceptAll([503, 408]));
  await vi.waitFor(() => expect(clients.figures().acknowledged).toBeGreaterThan(0), { timeout: 10_000 });
  expect(await clients.finish()).toMatchObject({ refused: 0, unknown: 0 });

  const refused = await clientsOf(await acceptAll([409]));
  await vi.waitFor(() => expect(refused.figures().acknowledged).toBeGreaterThan(0), { timeout: 10_000 });
  expect((await refused.finish()).refused).toBe(1);
});
