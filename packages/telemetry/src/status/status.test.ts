import { expect, test } from "vitest";
import { problemsOf, type Known, drainSeconds, type Holder } from "./problems.ts";
import type { DomainStatus, ProcessStatus, ServerStatus } from "./status.ts";
import { errorsOf } from "./status-reader.ts";
import { probe } from "./replicas.ts";

const server = (name: ServerStatus["name"], state: ServerStatus["state"] = "up"): ServerStatus => {
  return { name, state, latencyMs: null };
};
const threads = (state: "ready" | "restarting") => [{ index: 0, state, restarts: 0, lastError: "no reason" }];
const process = (app: ProcessStatus["app"], more: Partial<ProcessStatus> = {}): ProcessStatus => {
  return { app, host: "h", pid: 1, state: "up", startedAt: "", heartbeatAt: "", threads: threads("ready"), ...more };
};
const flow = { events: 0, perSecond: 0 };
const queue = { batches: 0, held: 0, events: 0 };
const flows = { accepted: flow, stored: flow, ranked: flow };
const domain = (secondsToDrain: number | null): DomainStatus => {
  return { name: "steps", ...flows, queues: { ingest: queue, rank: queue }, secondsToDrain, lastStoredAt: null };
};
const healthy: Known = {
  servers: [server("broker"), server("databaseWrite"), server("databaseRead"), server("redis")],
  domains: [domain(0)],
  replicaLagMs: 0,
  processes: [process("gateway", { threads: [] }), process("writer"), process("ranker")],
  knowsProcesses: true,
  stalled: [],
};

test("a system with all of its servers and apps is ok", () => {
  expect(problemsOf(healthy)).toEqual({ state: "ok", problems: [] });
});

const withProcess = (one: ProcessStatus) => ({ processes: [...healthy.processes, one] });

test.each<readonly [string, Partial<Known>]>([
  ["the broker does not respond", { servers: [server("broker", "down")] }],
  ["the broker accepts no messages: memory or disk alarm", { servers: [server("broker", "blocked")] }],
  ["the database's read endpoint does not respond", { servers: [server("databaseRead", "down")] }],
  ["no writer is running", { processes: [process("gateway"), process("ranker")] }],
  ["steps: events wait, and a stage or a process does not progress", { stalled: ["steps"] }],
])("fails when: %s", (problem, known) => {
  expect(problemsOf({ ...healthy, ...known })).toEqual({ state: "failing", problems: [problem] });
});

test.each<readonly [string, Partial<Known>]>([
  ["writer on h (pid 2) sends no heartbeat", withProcess(process("writer", { pid: 2, state: "gone" }))],
  [
    "ranker on h (pid 1): thread 0 is restarting: no reason",
    withProcess(process("ranker", { threads: threads("restarting") })),
  ],
  ["steps: the waiting events need 12 s", { domains: [domain(12)] }],
  ["the read endpoint is 11 s behind", { replicaLagMs: 11_000 }],
])("is behind when: %s", (problem, known) => {
  expect(problemsOf({ ...healthy, ...known })).toEqual({ state: "behind", problems: [problem] });
});

test("says nothing of processes while Redis is down", () => {
  const known = { servers: [server("redis", "down")], processes: [], knowsProcesses: false };
  const { problems } = problemsOf({ ...healthy, ...known });
  expect(problems).toEqual(["Redis does not respond"]);
});

const waiting = (ingest: number, rank: number, stored: number, ranked: number, holders: readonly Holder[] = []) =>
  drainSeconds({ batches: { ingest, rank }, eventsPerBatch: 100, stored, ranked, holders });

test("what waits, divided by the rate of the slower stage", () => {
  // 10,000 events at 1,000/s; ranking them is faster.
  expect(waiting(100, 0, 1000, 5000)).toBe(10);
  // Ranking is slower, and has the events of both queues before it.
  expect(waiting(100, 50, 1000, 500)).toBe(30);
  expect(waiting(0, 50, 0, 500)).toBe(10);
});

test("0 when nothing waits, whatever the rates", () => {
  expect(waiting(0, 0, 0, 0)).toBe(0);
});

test("null when something waits and a stage does not progress", () => {
  expect(waiting(100, 0, 0, 500)).toBeNull();
  expect(waiting(100, 0, 500, 0)).toBeNull();
  expect(waiting(0, 3, 500, 0)).toBeNull();
});

test("one process that stands still with its batches is seen beside others that progress", () => {
  const works = { batches: 3, batchesPerSecond: 100 };
  expect(waiting(19, 0, 10_000, 10_000, [works, { batches: 16, batchesPerSecond: 2 }])).toBe(8);
  expect(waiting(19, 0, 10_000, 10_000, [works, { batches: 16, batchesPerSecond: 0 }])).toBeNull();
  expect(waiting(3, 0, 10_000, 10_000, [works, { batches: 0, batchesPerSecond: 0 }])).toBe(0);
});

test("a batch on its way through an idle system is not minutes", () => {
  expect(waiting(1, 1, 0.5, 0.5)).toBe(1);
});

const line = (at: string, message: string, thread: number | null = null) =>
  ({ at, level: "warn", message, thread }) as const;
const idle = { v: 1, app: "writer", host: "h", startedAt: 0, at: 0, ageMs: 0 } as const;
const beat = (pid: number, problems: readonly ReturnType<typeof line>[]) => {
  return { ...idle, pid, threads: [], flows: [], held: [], hops: [], problems: [...problems] };
};

test("equal lines of one thread are one entry, with their number and the time of the newest", () => {
  const errors = errorsOf([
    beat(1, [line("2026-05", "down"), line("2026-04", "slow"), line("2026-02", "down"), line("2026-01", "down", 0)]),
    beat(2, [line("2026-03", "down")]),
  ]);
  expect(errors.map(({ at, pid, thread, message, times }) => [at, pid, thread, message, times])).toEqual([
    ["2026-05", 1, null, "down", 2],
    ["2026-04", 1, null, "slow", 1],
    ["2026-03", 2, null, "down", 1],
    ["2026-01", 1, 0, "down", 1],
  ]);
});

test("a request without a response is sent once, and each reader gets undefined after the time limit", async () => {
  let asked = 0;
  const response = Promise.withResolvers<string>();
  const read = probe(20, () => {
    asked++;
    return response.promise;
  });
  expect(await Promise.all([read(), read()])).toEqual([undefined, undefined]);
  expect(await read()).toBeUndefined();
  expect(asked).toBe(1);
  const last = read();
  response.resolve("late");
  expect(await last).toMatchObject({ value: "late" });
  await read();
  expect(asked).toBe(2);
});

test("an error is no result", async () => {
  expect(await probe(1000, () => Promise.reject(new Error("refused")))()).toBeUndefined();
});
