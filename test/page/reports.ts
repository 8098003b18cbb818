import { mkdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Writes two reports of the bench and one of the drill into a new folder, in the form that the commands write. */
export async function writeReports(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const reports = [
    ["batched", benchReport("2026-11-20T08:00:00.000Z", 8000, 140)],
    ["batched", benchReport("2026-11-21T08:00:00.000Z", 9180, 121)],
    ["drill", drillReport("2026-11-21T09:00:00.000Z")],
  ] as const;
  for (const [name, report] of reports) {
    const file = join(directory, `${report.at.replaceAll(":", "-")}-${name}.json`);
    await writeFile(file, JSON.stringify(report));
    // Lists are ordered by it.
    await utimes(file, new Date(report.at), new Date(report.at));
  }
}

function benchReport(at: string, perSecond: number, p99: number) {
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
    connections: 512,
    readShare: 0,
    settings: {},
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
    eventToRankedMs: { samples: 200, p50: 70, p99: p99 * 1.4, max: 300 },
    cpuUsPerEvent: { gateway: 50, writer: 40, ranker: 8, broker: 30, database: 60, redis: 6, client: 40, total: 194 },
    memoryMiB: { gateway: 190, writer: 180, ranker: 120, broker: 200, database: 300, redis: 20 },
    audit: { acknowledged: perSecond * 30, stored: perSecond * 30, ranked: perSecond * 30, lost: 0, doubled: 0 },
    agrees: true,
    perSecond: seconds,
    observations: [],
    histogram: [],
  };
}

function drillReport(at: string) {
  const fault = (index: number, kind: string, target: string) => ({
    kind,
    target,
    at: 4 + index * 11.5,
    lasted: 2.5,
    recovery: { accepted: 0.4, stored: 1.6 + index / 10, ranked: 1.9 + index / 10 },
    lost: 0,
  });
  return {
    at,
    seed: 7,
    faults: [
      fault(0, "kill", "rabbitmq"),
      fault(1, "kill", "database-primary"),
      fault(2, "kill", "redis"),
      fault(3, "crash after commit", "writer"),
    ],
    load: { seconds: 52, repeated: 120 },
    eventsPerSecond: 640,
    audit: { acknowledged: 33_280, stored: 33_280, ranked: 33_280, lost: 0, doubled: 0 },
    domains: [],
    auditSeconds: 2.1,
    differences: [],
  };
}
