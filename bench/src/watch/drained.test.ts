import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { readCounters, type Counters } from "./counters.ts";
import { drained, momentsOf } from "./drained.ts";

/** Tiers that count what a test tells: all their counters in one place. */
async function tiers(counts: { stored: number; batches: number; ranked: number }) {
  const server = createServer((_request, response) =>
    response.end(
      `tally_writer_events_total{domain="a"} ${counts.stored}\ntally_writer_batches_total{domain="a"} ${counts.batches}\n` +
        `tally_ranker_batches_total{domain="a"} ${counts.ranked}\n`,
    ),
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  const queue = { depth: 0, max: 10 };
  return { system: { writerUrls: [url], rankerUrls: [url], queues: async () => [queue] }, counts, queue };
}

async function waiting(o: { accepted: number; unknown: number }) {
  const system = await tiers({ stored: 0, batches: 0, ranked: 0 });
  const said: string[] = [];
  let isOver = false;
  const begunAt = performance.now();
  const before = await readCounters(system.system);
  const whenOver = drained(system.system, "a", {
    ...o,
    before,
    sentAt: 0,
    looks: [],
    say: (line) => said.push(line),
  }).finally(() => (isOver = true));
  return { ...system, said, whenOver, begunAt, over: () => isOver };
}

test("when as many are stored as were accepted, and all of it is ranked, the wait is over at once", async () => {
  const { counts, whenOver, said, begunAt, over } = await waiting({ accepted: 7, unknown: 0 });
  Object.assign(counts, { stored: 7, batches: 2, ranked: 1 });
  await delay(1500);
  expect(over()).toBe(false);
  counts.ranked = 2;
  const { stored, ranked } = await whenOver;
  expect(stored?.events).toBe(7);
  expect(ranked?.at).toBeGreaterThan((stored?.at ?? Infinity) + 1000);
  expect(performance.now() - begunAt).toBeLessThan(5000);
  expect(said).toEqual([]);
});

test("when events were lost the wait ends as soon as nothing moves any more, and says so", async () => {
  const { counts, queue, whenOver, said, begunAt, over } = await waiting({ accepted: 7, unknown: 0 });
  Object.assign(counts, { stored: 5, batches: 2, ranked: 2 });
  queue.depth = 1;
  await delay(6500);
  // Something still waits.
  expect(over()).toBe(false);
  queue.depth = 0;
  expect(await whenOver).toEqual({ stored: undefined, ranked: undefined });
  expect(performance.now() - begunAt).toBeLessThan(30_000);
  expect(said).toEqual([
    "5 events are stored, 7 were accepted, 2 of 2 batches are ranked, and nothing moves any more: the audit tells",
  ]);
});

test("requests without a 2xx may have been stored: as many as accepted is not the end then", async () => {
  const { counts, whenOver, said, over } = await waiting({ accepted: 7, unknown: 2 });
  Object.assign(counts, { stored: 7, batches: 2, ranked: 2 });
  await delay(1500);
  expect(over()).toBe(false);
  Object.assign(counts, { stored: 9, batches: 3, ranked: 3 });
  const { stored, ranked } = await whenOver;
  expect([stored?.events, ranked?.events]).toEqual([7, 7]);
  expect(said).toEqual([]);
});

test("an answer that hangs when all is stored long since does not stretch the time until then", () => {
  const look = (at: number, stored: number, ranked: number): Counters => ({ at, stored, batches: stored / 10, ranked });
  const series = [
    look(0, 100, 10),
    look(500, 600, 50),
    look(1000, 1100, 109),
    look(1500, 1100, 110),
    look(9000, 1100, 110),
  ];
  const before = look(0, 100, 10);
  expect(momentsOf(series, { before, accepted: 1000, sentAt: 900 })).toEqual({
    stored: { at: 1000, events: 1000 },
    ranked: { at: 1500, events: 1000 },
  });
  // As long as requests are sent it is not over, even if what follows was never accepted.
  expect(momentsOf(series, { before, accepted: 500, sentAt: 1400 }).stored).toEqual({ at: 1500, events: 1000 });
  expect(momentsOf(series, { before, accepted: 1001, sentAt: 900 })).toEqual({ stored: undefined, ranked: undefined });
});
