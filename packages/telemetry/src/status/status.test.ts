import { expect, test } from "vitest";
import { problemsOf, type Known, drainSeconds, type Holder } from "./problems.ts";
import type { DomainStatus, ProcessStatus, ServerStatus, Status } from "./status.ts";
import { errorsOf } from "./status-reader.ts";
import { probe } from "./replicas.ts";

const server = (name: ServerStatus["name"], state: ServerStatus["state"] = "up"): ServerStatus => {
  return { name, state, latencyMs: null };
};
const threads = (state: "ready" | "restarting") => [{ index: 0, state, restarts: 0, lastError: "no reason" }];
const since = { startedAt: "", heartbeatAt: "", clockOffsetMs: 2000 };
const process = (app: ProcessStatus["app"], more: Partial<ProcessStatus> = {}): ProcessStatus => {
  return { app, host: "h", pid: 1, state: "up", ...since, threads: threads("ready"), ...more };
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
  unused: [],
};

const withProcess = (one: ProcessStatus) => ({ processes: [...healthy.processes, one] });
const withoutRedis = { servers: [server("redis", "down")], processes: [], knowsProcesses: false };
const wrongClock = process("writer", { clockOffsetMs: -2100 });
const restarting = process("ranker", { threads: threads("restarting") });

test.each<readonly [Status["state"], readonly string[], Partial<Known>]>([
  ["ok", [], {}],
  ["failing", ["the broker does not respond"], { servers: [server("broker", "down")] }],
  ["failing", ["the broker accepts no messages: memory or disk alarm"], { servers: [server("broker", "blocked")] }],
  ["failing", ["the database's read endpoint does not respond"], { servers: [server("databaseRead", "down")] }],
  ["failing", ["no writer is running"], { processes: [process("gateway"), process("ranker")] }],
  ["failing", ["steps: events wait, and a stage or a process does not progress"], { stalled: ["steps"] }],
  ["failing", ["Redis does not respond"], withoutRedis],
  ["behind", ["writer on h (pid 2) sends no heartbeat"], withProcess(process("writer", { pid: 2, state: "gone" }))],
  ["behind", ["ranker on h (pid 1): thread 0 is restarting: no reason"], withProcess(restarting)],
  ["behind", ["writer on h (pid 1): its clock is 2.1 s behind the database's"], withProcess(wrongClock)],
  ["behind", ["steps: the waiting events need 12 s"], { domains: [domain(12)] }],
  ["behind", ["the read endpoint is 11 s behind"], { replicaLagMs: 11_000 }],
  ["behind", ["10.0.0.5:3306 serves no reads: it is behind, or does not respond"], { unused: ["10.0.0.5:3306"] }],
])("a system is %s when: %j", (state, problems, known) => {
  expect(problemsOf({ ...healthy, ...known })).toEqual({ state, problems });
});

const waiting = (ingest: number, rank: number, stored: number, ranked: number, holders: readonly Holder[] = []) =>
  drainSeconds({ batches: { ingest, rank }, eventsPerBatch: 100, stored, ranked, holders });

const works = { batches: 3, batchesPerSecond: 100 };
const slow = { batches: 16, batchesPerSecond: 2 };

test.each([
  ["10,000 events at 1,000/s; ranking them is faster", waiting(100, 0, 1000, 5000), 10],
  ["ranking is slower, and has the events of both queues before it", waiting(100, 50, 1000, 500), 30],
  ["only ranking has events before it", waiting(0, 50, 0, 500), 10],
  ["nothing waits, whatever the rates", waiting(0, 0, 0, 0), 0],
  ["nothing is stored", waiting(100, 0, 0, 500), null],
  ["nothing is ranked", waiting(100, 0, 500, 0), null],
  ["nothing is ranked and nothing waits to be stored", waiting(0, 3, 500, 0), null],
  ["one process is slower than the others", waiting(19, 0, 10_000, 10_000, [works, slow]), 8],
  ["one process stands still", waiting(19, 0, 10_000, 10_000, [works, { ...slow, batchesPerSecond: 0 }]), null],
  ["a process stands still without batches", waiting(3, 0, 1e4, 1e4, [works, { batches: 0, batchesPerSecond: 0 }]), 0],
  ["a batch on its way through an idle system", waiting(1, 1, 0.5, 0.5), 1],
])("seconds to drain: %s", (_, seconds, expected) => {
  expect(seconds).toBe(expected);
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
