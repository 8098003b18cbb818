import { mkdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Report } from "@tally/bench/report";
import type { DrillReport, FaultOutcome } from "@tally/bench/drill";

const days = ["2026-11-20T08:00:00.000Z", "2026-11-21T08:00:00.000Z"] as const;

/** Writes two reports of the bench and one of the drill into a new folder, in the form that the commands write. */
export async function writeReports(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const reports: readonly (readonly [name: string, at: string, report: Report | DrillReport])[] = [
    ["batched", days[0], { ...benchReport(days[0], 8000, 140), disturbance: busy }],
    ["batched", days[1], benchReport(days[1], 9180, 121)],
    ["drill", "2026-11-21T09:00:00.000Z", drillReport],
  ];
  for (const [name, at, report] of reports) {
    const file = join(directory, `${at.replaceAll(":", "-")}-${name}.json`);
    await writeFile(file, JSON.stringify(report));
    // Lists are ordered by it.
    await utimes(file, new Date(at), new Date(at));
  }
}

const busy: NonNullable<Report["disturbance"]> = {
  foreign: { percent: 12.5, cpuSeconds: 7.5, largest: [{ name: "tsc", cpuSeconds: 7.1 }] },
  steal: { percent: 0.2, cpuSeconds: 0.12 },
  calibration: { beforeNs: 4.1, afterNs: 4.5, meanNs: 4.3, changePercent: 9.8 },
  isDisturbed: true,
};

function benchReport(at: string, perSecond: number, p99: number): Report {
  const seconds = Array.from({ length: 30 }, (_, second) => ({
    accepted: perSecond + 400 * Math.sin(second / 3),
    read: 0,
    failed: 0,
    p50: p99 / 2.4 + Math.cos(second / 2),
    p99: p99 + 8 * Math.sin(second / 2),
  }));
  return {
    runId: at,
    at,
    machine: "2 × AMD EPYC, 24 GiB",
    versions: { node: "v26.10.0" },
    commit: "a06f6c6",
    mode: "production, a fresh system on this machine",
    repeat: "pnpm bench --connections 512",
    design: "batched",
    durability: "confirmed",
    target: null,
    domain: "purchases",
    model: "closed",
    source: null,
    replay: null,
    agents: null,
    connections: 512,
    readShare: 0,
    offeredPerSecond: null,
    asked: { seconds: 30 },
    fill: null,
    warmUpSeconds: 4,
    clientThreads: 1,
    gateways: 1,
    settings: {},
    seed: 1,
    spread: "narrow",
    contentBytes: null,
    seconds: 30,
    sent: perSecond * 30,
    accepted: { events: perSecond * 30, perSecond },
    stored: { perSecond: perSecond - 24 },
    ranked: { perSecond: perSecond - 38 },
    reads: { requests: 0, perSecond: 0, latencyMs: null },
    drainSeconds: 0.08,
    latencyMs: { mean: p99 / 2.2, min: 9.4, p50: p99 / 2.4, p95: p99 / 1.3, p99, p999: p99 * 1.7, max: p99 * 2.2 },
    statuses: { 201: perSecond * 30 },
    errors: { non2xx: 0, timeouts: 0, connections: 0, unanswered: 0, retries: 0, ofReads: 0 },
    queue: { max: 40, verdict: "plateau" },
    followed: { events: 200, neverStored: 0, neverRanked: 0 },
    eventToStoredMs: { samples: 200, p50: 52, p99: p99 * 1.2, max: 260 },
    eventToRankedMs: { samples: 200, p50: 70, p99: p99 * 1.4, max: 300 },
    hops: [{ name: "received to sealed", batches: 900, p50Ms: 1.5, p99Ms: 4.9, buckets: [{ ms: 5, batches: 900 }] }],
    cpuSeconds: {
      gateway: 12,
      writer: 9.6,
      ranker: 1.9,
      broker: 7.2,
      database: 14.4,
      redis: 1.4,
      client: 9.6,
      total: 46.5,
    },
    cpuUsPerEvent: { gateway: 50, writer: 40, ranker: 8, broker: 30, database: 60, redis: 6, client: 40, total: 194 },
    memoryMiB: { gateway: 190, writer: 180, ranker: 120, broker: 200, database: 300, redis: 20 },
    client: { busy: 0.5, delayP99Ms: 3, isLimit: false },
    littlesLaw: { expectedPerSecond: perSecond + 90, errorPercent: 1 },
    audit: { acknowledged: perSecond * 30, stored: perSecond * 30, ranked: perSecond * 30, lost: 0, doubled: 0 },
    agrees: true,
    boardsHash: "bb387ba5a7cbd8a2",
    groups: [],
    phases: [{ name: "measured", begun: 0, ended: 30 }],
    before: [],
    perSecond: seconds,
    observations: [],
    histogram: [],
  };
}

const fault = (index: number, kind: FaultOutcome["kind"], target: string): DrillReport["faults"][number] => ({
  kind,
  target,
  ms: 2500,
  count: 1,
  at: 4 + index * 11.5,
  lasted: 2.5,
  clients: { acknowledged: 900, statuses: { 201: 900 }, broken: 2, silent: 0, longestGapMs: 400, slowestMs: 900 },
  recovery: {
    accepted: 0.4,
    stored: 1.6 + index / 10,
    ranked: 1.9 + index / 10,
    equal: undefined,
    heldAfter: undefined,
    late: [],
  },
  from: index * 900,
  to: (index + 1) * 900,
  lost: 0,
});

const drillReport: DrillReport = {
  seed: 7,
  sabotage: undefined,
  faults: [
    fault(0, "broker-killed", "rabbitmq"),
    fault(1, "primary-killed", "database-primary"),
    fault(2, "redis-killed", "redis"),
    fault(3, "writer.after-commit", "writer"),
  ],
  load: {
    seconds: 52,
    acknowledged: 33_280,
    domains: [],
    unknown: 0,
    repeated: 120,
    otherIds: 0,
    reused: { rejected: 40, acknowledged: 0 },
    partialRetries: 12,
    refused: 0,
    firstRefusal: undefined,
  },
  eventsPerSecond: 640,
  audit: { acknowledged: 33_280, stored: 33_280, ranked: 33_280, lost: 0, doubled: 0 },
  domains: [],
  contents: { checked: 33_280, wrong: 0, firstWrong: undefined },
  auditSeconds: 2.1,
  differences: [],
};
