import { expect, test } from "vitest";
import { problemsOf, type Known } from "./problems.ts";
import type { DomainStatus, ProcessStatus, ServerStatus } from "./status.ts";

const server = (name: ServerStatus["name"], state: ServerStatus["state"] = "up"): ServerStatus => ({
  name,
  state,
  latencyMs: null,
});
const threads = (state: "ready" | "restarting") => [{ index: 0, state, restarts: 0, lastError: "no reason" }];
const process = (app: ProcessStatus["app"], more: Partial<ProcessStatus> = {}): ProcessStatus => ({
  app,
  host: "h",
  pid: 1,
  state: "up",
  startedAt: "",
  heartbeatAt: "",
  threads: threads("ready"),
  ...more,
});
const flow = { events: 0, perSecond: 0 };
const queue = { batches: 0, held: 0, events: 0 };
const domain = (secondsToDrain: number | null): DomainStatus => ({
  name: "steps",
  accepted: flow,
  stored: flow,
  ranked: flow,
  queues: { ingest: queue, rank: queue },
  secondsToDrain,
  lastStoredAt: null,
});
const healthy: Known = {
  servers: [server("broker"), server("databaseWrite"), server("databaseRead"), server("redis")],
  domains: [domain(0)],
  replicaLagMs: 0,
  processes: [process("gateway", { threads: [] }), process("writer"), process("ranker")],
  knowsProcesses: true,
  stalled: [],
  unused: [],
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
  ["10.0.0.5:3306 serves no reads: it is behind, or does not respond", { unused: ["10.0.0.5:3306"] }],
])("is behind when: %s", (problem, known) => {
  expect(problemsOf({ ...healthy, ...known })).toEqual({ state: "behind", problems: [problem] });
});

test("says nothing of processes while Redis is down", () => {
  const { problems } = problemsOf({
    ...healthy,
    servers: [server("redis", "down")],
    processes: [],
    knowsProcesses: false,
  });
  expect(problems).toEqual(["Redis does not respond"]);
});
