import { afterEach, expect, test, vi } from "vitest";
import { addFlows, addHops, heartbeatOf, bucketOf, countOf, quantileOf } from "./heartbeat.ts";
import { Activity } from "./activity.ts";

afterEach(() => vi.useRealTimers());

test("reports totals since the start, and means and times of the last 10 s", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const activity = new Activity();
  const report = () => activity.report();
  for (let second = 0; second < 20; second++) {
    activity.count("stored", "steps", second < 10 ? 500 : 20, 2);
    activity.took("sealed-stored", second < 10 ? 100 : 1);
    vi.advanceTimersByTime(1000);
    report();
  }
  const { flows, hops } = report();
  expect(flows).toEqual([
    { stage: "stored", domain: "steps", events: 5200, batches: 40, eventsPerSecond: 20, batchesPerSecond: 2 },
  ]);
  expect(hops.map(({ hop, times }) => [hop, countOf(times)])).toEqual([["sealed-stored", 10]]);
  expect(quantileOf(hops[0]?.times ?? [], 0.99)).toBeLessThan(1.1);
});

test("a first report is a mean over at least a second", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const activity = new Activity();
  activity.count("accepted", "steps", 7, 1);
  vi.advanceTimersByTime(10);
  expect(activity.report().flows).toMatchObject([{ events: 7, eventsPerSecond: 7 }]);
});

test("quantiles are exact to 5 %, also of the sum of several reports", () => {
  const times = Array.from({ length: 1000 }, (_, n) => 1 + n);
  const pairs = times.map((ms) => [bucketOf(ms), 1]);
  const parts = [pairs.slice(0, 300), pairs.slice(300)];
  const [hop] = addHops(parts.map((part) => ({ hop: "stored-ranked", times: part.flat() })));
  const sum = hop?.times ?? [];
  expect(countOf(sum)).toBe(1000);
  expect(Math.abs(quantileOf(sum, 0.5) / 500 - 1)).toBeLessThan(0.05);
  expect(Math.abs(quantileOf(sum, 0.99) / 990 - 1)).toBeLessThan(0.05);
  expect(quantileOf([], 0.5)).toBe(0);
  expect([bucketOf(0), bucketOf(Number.NaN), bucketOf(1e9)]).toEqual([0, 0, bucketOf(1e8)]);
});

const writer = { app: "writer", host: "h", pid: 1, startedAt: 0, at: 0 } as const;

test("what several threads hold is added by stage and domain", () => {
  const held = (stage: "stored" | "ranked", domain: string, batches: number) => ({ stage, domain, batches });
  const reportOf = (...own: readonly ReturnType<typeof held>[]) => ({ flows: [], held: own, hops: [], problems: [] });
  const reports = [
    reportOf(held("stored", "steps", 3), held("ranked", "steps", 1)),
    reportOf(held("stored", "steps", 16), held("stored", "swipes", 0)),
  ];
  const threads = reports.map((report, thread) => ({ thread, report }));
  const beat = heartbeatOf(writer, [], threads);
  expect(beat.held).toEqual([held("stored", "steps", 19), held("ranked", "steps", 1), held("stored", "swipes", 0)]);
});

test("flows of several threads are added, and problems come newest first with their thread", () => {
  const rates = { eventsPerSecond: 3, batchesPerSecond: 4 };
  const flow = { stage: "stored", domain: "steps", events: 2, batches: 1, ...rates } as const;
  expect(addFlows([flow, { ...flow, domain: "swipes" }, flow])).toEqual([
    { ...flow, events: 4, batches: 2, eventsPerSecond: 6, batchesPerSecond: 8 },
    { ...flow, domain: "swipes" },
  ]);
  const problem = (at: string) => ({ at, level: "warn", message: "x" }) as const;
  const problems = Array.from({ length: 10 }, (_, n) => problem(`2026-01-0${n}`));
  const report = { flows: [], held: [], hops: [], problems };
  const other = { ...report, problems: [problem("2027")] };
  const reports = [report, other].map((one, n) => ({ thread: n === 0 ? null : n, report: one }));
  const beat = heartbeatOf(writer, [], reports);
  expect(beat.problems).toHaveLength(10);
  expect(beat.problems.slice(0, 2)).toEqual([
    { ...problem("2027"), thread: 1 },
    { ...problem("2026-01-09"), thread: null },
  ]);
});
