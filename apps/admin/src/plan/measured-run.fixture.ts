import type { MeasuredRun } from "./measured-run.ts";

/** A run that is fit for a plan; the costs are those of a run on two cores. */
export const measuredRun: MeasuredRun = {
  runId: "r",
  at: "2026-11-21",
  machine: "m",
  domain: "purchases",
  design: "batched",
  durability: "confirmed",
  target: null,
  model: "closed",
  connections: 512,
  readShare: 0,
  mode: "production, a fresh system on this machine",
  agrees: true,
  audit: { lost: 0, doubled: 0 },
  ranked: { perSecond: 11_900 },
  accepted: { events: 360_000, perSecond: 12_000 },
  reads: { requests: 0 },
  cpuUsPerEvent: { gateway: 32, writer: 12, ranker: 2, broker: 7, database: 41, redis: 43 },
};
