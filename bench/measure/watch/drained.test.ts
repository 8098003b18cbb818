import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { serverOf } from "../load/start-load.fixture.ts";
import { drained, momentsOf } from "./drained.ts";
import { readCounters } from "./watch.ts";

/** Apps with the counters of a test. */
async function tiers(counts: { stored: number; batches: number; ranked: number }) {
  const { url } = await serverOf((_request, response) =>
    response.end(
      `tally_writer_events_total{domain="a"} ${counts.stored}\ntally_writer_batches_total{domain="a"} ${counts.batches}\n` +
        `tally_ranker_batches_total{domain="a"} ${counts.ranked}\n`,
    ),
  );
  const queue = { depth: 0, max: 10 };
  return { system: { writerUrls: [url], rankerUrls: [url], queues: async () => [queue] }, counts, queue };
}

async function waiting(o: { accepted: number; unknown: number }) {
  const system = await tiers({ stored: 0, batches: 0, ranked: 0 });
  const said: string[] = [];
  let isOver = false;
  const begunAt = performance.now();
  const before = await readCounters(system.system);
  const say = (line: string): void => void said.push(line);
  const whenOver = drained(system.system, "a", { ...o, before, sentAt: 0, series: [], say });
  void whenOver.finally(() => (isOver = true));
  return { ...system, said, whenOver, begunAt, over: () => isOver };
}

test("the wait ends at once when as many events are stored as were accepted and all are ranked", async () => {
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

test("with lost events the wait ends after 5 s without progress, and a line reports it", async () => {
  const { counts, queue, whenOver, said, begunAt, over } = await waiting({ accepted: 7, unknown: 0 });
  Object.assign(counts, { stored: 5, batches: 2, ranked: 2 });
  queue.depth = 1;
  await delay(6500);
  // A message still waits.
  expect(over()).toBe(false);
  queue.depth = 0;
  expect(await whenOver).toEqual({ stored: undefined, ranked: undefined });
  expect(performance.now() - begunAt).toBeLessThan(30_000);
  expect(said).toEqual([
    "5 events are stored, 7 were accepted, 2 of 2 batches are ranked; no progress for 5 s, see the audit",
  ]);
});

test("requests without a 2xx may be stored, so the number of accepted events does not end the wait", async () => {
  const { counts, whenOver, said, over } = await waiting({ accepted: 7, unknown: 2 });
  Object.assign(counts, { stored: 7, batches: 2, ranked: 2 });
  await delay(1500);
  expect(over()).toBe(false);
  Object.assign(counts, { stored: 9, batches: 3, ranked: 3 });
  const { stored, ranked } = await whenOver;
  expect([stored?.events, ranked?.events]).toEqual([7, 7]);
  expect(said).toEqual([]);
});

test("a late response does not extend the time until everything is stored", () => {
  const counters = (at: number, stored: number, ranked: number) => ({ at, stored, batches: stored / 10, ranked });
  const series = [
    counters(0, 100, 10),
    counters(500, 600, 50),
    counters(1000, 1100, 109),
    counters(1500, 1100, 110),
    counters(9000, 1100, 110),
  ];
  const before = counters(0, 100, 10);
  expect(momentsOf(series, { before, accepted: 1000, sentAt: 900 })).toEqual({
    stored: { at: 1000, events: 1000 },
    ranked: { at: 1500, events: 1000 },
  });
  // Not before the last request, even if the rest is never accepted.
  expect(momentsOf(series, { before, accepted: 500, sentAt: 1400 }).stored).toEqual({ at: 1500, events: 1000 });
  expect(momentsOf(series, { before, accepted: 1001, sentAt: 900 })).toEqual({ stored: undefined, ranked: undefined });
});
