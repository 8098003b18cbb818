import { startThread } from "../kit/index.ts";
import { newEventId } from "@tally/contract";
import { expect, onTestFinished, test, vi } from "vitest";
import type { LoadCalls } from "./load/thread.ts";
import { listen } from "@tally/local/at-end";
import { stepsPlan } from "./load/steps-load.test-kit.ts";
import { recovery } from "./recovery.ts";

// Accepts every event. When it is busy, it stores accepted events only while no new one arrives, like a machine whose
// gateways leave no time to the writers.
function busyServer({ isBusy = true } = {}) {
  const accepted = new Set<string>();
  const stored = new Set<string>();
  let quietTicks = 0;
  const store = setInterval(() => {
    // Ticks and not a time: when all processes stood still, no event could arrive.
    if (isBusy && quietTicks++ < 100) return;
    for (const id of accepted) stored.add(id);
    accepted.clear();
  }, 20);
  onTestFinished(() => clearInterval(store));
  return listen((request, response) => {
    const id = request.url?.split("/").at(-1) ?? "";
    if (request.method === "GET") {
      response.end(JSON.stringify({ stored: stored.has(id), ranked: stored.has(id) }));
      return;
    }
    quietTicks = 0;
    request.resume().on("end", () => {
      const newId = newEventId();
      accepted.add(newId);
      response.writeHead(201, { "tally-event-id": newId }).end();
    });
  });
}

async function loadOf(url: string) {
  const plan = await stepsPlan(url, 200);
  const load = startThread<LoadCalls>(new URL("load/thread.ts", import.meta.url), plan);
  onTestFinished(() => load.stop());
  const sends = async (): Promise<void> => {
    await load.call("figures");
    await vi.waitFor(async () => expect((await load.call("figures")).acknowledged).toBeGreaterThan(5), {
      timeout: 20_000,
      interval: 100,
    });
  };
  await sends();
  return { load, sends };
}

test("a recovery that takes too long holds the load, reports when, and lets the load go on afterwards", async () => {
  const { url } = await busyServer();
  const { load, sends } = await loadOf(url);
  const backAt = performance.now();
  const recovered = await recovery(load, { backAt }, { url, events: 0, heldAfterMs: 1000 });
  expect(recovered).toMatchObject({ late: [], equal: undefined });
  expect(recovered.heldAfter).toBeGreaterThanOrEqual(1);
  expect(recovered.ranked).toBeGreaterThan(recovered.heldAfter ?? Infinity);
  await sends();
});

test("a recovery in time does not hold the load", async () => {
  const { url } = await busyServer({ isBusy: false });
  const { load } = await loadOf(url);
  const recovered = await recovery(load, { backAt: performance.now() }, { url, events: 0 });
  expect(recovered).toMatchObject({ late: [], heldAfter: undefined });
});

test("rankings that equal the rows only after a minute are late", async () => {
  const { url } = await busyServer({ isBusy: false });
  const { load } = await loadOf(url);
  const backAt = performance.now() - 60_000;
  const recovered = await recovery(load, { backAt }, { url, events: 0, isEqual: () => Promise.resolve(true) });
  expect(recovered).toMatchObject({ late: ["equal"] });
});

test("a gateway that accepts nothing ends the recovery", async () => {
  const never = { call: () => new Promise<never>(() => undefined) };
  await expect(recovery(never, { backAt: 0, gateway: 1 }, { url: "", events: 0, withinMs: 100 })).rejects.toThrow(
    "gateway 2 accepts no new event of each domain within 0.1 s",
  );
});
