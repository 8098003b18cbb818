import { appendFileSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { mixSeed, Random, serveThread, workloadOf, type ClientRequest } from "../../kit/index.ts";
import { runAutocannon } from "./autocannon.ts";
import { runClosed } from "./closed.ts";
import type { Fill, GroupTime, LoadPlan, Phase, PhaseResult } from "./load-plan.ts";
import { openLoad } from "./open.ts";
import { Recorder, type Sample } from "./recorder.ts";
import { requestsOf } from "./requests.ts";
import { runSource } from "./source.ts";

/* A thread of the load, so that the rest of the bench does not delay it. */

/** Each "prepare" is followed by a "run" of that phase. */
export interface LoadCalls {
  /** Does what a phase needs before its time starts. */
  prepare: (phase: Phase | Fill) => Promise<void>;
  run: (idsFile: string | undefined) => Promise<PhaseResult>;
}

// A full queue accepts the next event within ms, or never.
const fillRetries = 1000;

const plan: LoadPlan = workerData;
const workload = workloadOf(plan.domain);
const next = requestsOf(plan, workload);
let runPhase: RunPhase | undefined;

/** Resolves with the groups of a source's run. */
type RunPhase = (to: Recorder) => Promise<readonly GroupTime[] | void>;

const emit = serveThread<LoadCalls, Sample>({
  async prepare(phase) {
    runPhase = await prepare(phase);
  },
  async run(idsFile) {
    const run = runPhase;
    if (run === undefined) throw new Error("no phase is prepared");
    runPhase = undefined;
    const recorder = new Recorder((sample) => emit(sample), plan.partOf);
    const groups = (await run(recorder)) ?? [];
    const result = recorder.result();
    // Other threads append to it too, between parts.
    if (idsFile !== undefined) for (const part of recorder.ids) appendFileSync(idsFile, part);
    return { ...result, groups };
  },
});

async function prepare(phase: Phase | Fill): Promise<RunPhase> {
  switch (phase.model) {
    case "fill":
      return (to) => {
        const { connections, spread, contentBytes, isPriced } = plan;
        // A sequence apart from that of the load.
        const { fraction } = new Random(mixSeed(~plan.seed));
        const { amount } = phase;
        const fill = { connections: Math.min(connections, amount), amount, recorder: to, retries: fillRetries };
        const filling = (): ClientRequest => workload.next(fraction, spread, { contentBytes, isPriced });
        return runClosed({ ...plan, ...fill, next: filling });
      };
    case "open": {
      const runOpen = await openLoad(plan);
      return (to) => runOpen(phase, next, to);
    }
    case "source": {
      const run = workload.source?.runs[phase.run];
      if (run === undefined) throw new RangeError(`${plan.domain} has ${workload.source?.runs.length ?? 0} runs`);
      const groups = (phase.warmUp === true ? run.warmUp : run.groups)?.(phase.scale) ?? [];
      return (to) => runSource(plan, { groups, retries: run.retries ?? 0 }, to);
    }
    case "closed":
      return (to) => runAutocannon({ ...plan, until: phase.until, next, recorder: to });
  }
}
