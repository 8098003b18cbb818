import { join } from "node:path";
import { Recorder } from "./load/recorder.ts";
import type { AuditReport } from "@tally/reconcile";
import type { BenchPlan } from "./bench-plan.ts";
import { readMachine } from "./machine/disturbance.ts";
import { makeReport } from "./make-report.ts";
import type { Report } from "./report.ts";
import { eachTier } from "./watch/tiers.ts";

/** A report of 100 events and 4 observations, with `changes`. `more` adds to what the recorder has seen. */
export function sampleReport(
  changes: Partial<Report> = {},
  audit?: AuditReport,
  more: (recorder: Recorder) => void = () => undefined,
): Report {
  const recorder = new Recorder(() => undefined);
  for (let n = 1; n <= 100; n++) {
    recorder.sending(performance.now());
    recorder.record({ name: "responded", status: 201, id: "", text: "", ms: n }, false);
  }
  more(recorder);
  const startedAt = performance.now();
  const observations = [0, 1, 2, 3].map((n) => ({
    at: startedAt + n * 1000,
    stored: n * 30,
    batches: n,
    ranked: n,
    queued: n,
    fullness: 0,
    tiers: eachTier(() => ({ cpuSeconds: n, memoryMiB: 100 })),
    diskMiB: n,
    redisKeys: n,
  }));
  const plan: BenchPlan = {
    repeat: "pnpm bench",
    root: join(import.meta.dirname, "..", ".."),
    domain: "purchases",
    connections: 10,
    services: undefined,
    seed: 1,
    spread: "wide",
    readShare: 0,
    responseWithinMs: 10_000,
    design: "batched",
    durability: "confirmed",
    gateways: 1,
    clientThreads: 1,
    fill: undefined,
    warmUpSeconds: 0,
    phase: { model: "closed", until: { amount: 100 } },
    settings: {},
    say: () => undefined,
    signal: new AbortController().signal,
  };
  const reading = readMachine();
  const moment = { at: startedAt + 2000, events: 100 };
  const seen = {
    result: { ...recorder.result(), groups: [] },
    observations,
    hops: [{ name: "received-sealed" as const, batches: 5, p50Ms: 1.2, p99Ms: 3.4 }],
    drained: { stored: moment, ranked: moment },
    startedAt,
    clientCpuSeconds: 1,
    readings: [reading, reading] as const,
  };
  return {
    ...makeReport(plan, seen, {
      system: { root: plan.root, versions: {}, processes: [] },
      followed: undefined,
      audit,
      filled: 0,
    }),
    ...changes,
  };
}
