import { appendFileSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { workloadOf } from "@tally/domains/workloads";
import { mixSeed, Random, Recorder, type Sample, serveThread } from "../../kit/index.ts";
import { runClosed } from "./closed.ts";
import type { Fill, LoadPlan, OnReply, Phase, PhaseFiles, PhaseResult } from "./load-plan.ts";
import { openLoad } from "./open.ts";
import { RequestLog } from "./request-log.ts";
import { Requests } from "./requests.ts";
import { runSource } from "./source.ts";

/* A thread of the load, so that the rest of the bench does not delay it. */

/** Each "prepare" is followed by a "run" of that phase. */
export interface LoadCalls {
  /** Does what a phase needs before its time starts. */
  prepare: (phase: Phase | Fill) => void;
  /** `startedAt`: the start of the load, in ms since 1970. */
  run: (files: PhaseFiles & { readonly startedAt: number }) => PhaseResult;
  /** Requests of the running phase that are over. */
  progress: () => number;
}

// A full queue accepts the next event within ms, or never.
const fillRetries = 1000;

const plan: LoadPlan = workerData;
const workload = workloadOf(plan.domain);
const requests = new Requests(plan, workload);
let recorder: Recorder | undefined;
let runPhase: RunPhase | undefined;

/** Resolves with what a recorder does not see of the phase, if there is something. */
type RunPhase = (to: Recorder, onReply?: OnReply) => Promise<Partial<Pick<PhaseResult, "groups">> | void>;

const emit = serveThread<LoadCalls, Sample>({
  async prepare(phase) {
    recorder = undefined;
    runPhase = await prepare(phase);
  },
  async run({ ids, requests: requestsFile, startedAt }) {
    const run = runPhase;
    if (run === undefined) throw new Error("no phase is prepared");
    runPhase = undefined;
    const log = requestsFile === undefined ? undefined : new RequestLog(requestsFile, startedAt);
    recorder = new Recorder((sample) => emit(sample), { keepsIds: ids !== undefined });
    const more = (await run(recorder, log?.add)) ?? {};
    const result = recorder.result();
    // In one write, because other threads append to it too.
    if (ids !== undefined) appendFileSync(ids, recorder.ids);
    return { ...result, groups: [], ...more, requestLog: await log?.close() };
  },
  progress: () => recorder?.through ?? 0,
});

/** Returns a function that runs the phase. */
async function prepare(phase: Phase | Fill): Promise<RunPhase> {
  switch (phase.model) {
    case "fill":
      return (to) => {
        const { connections, spread, contentBytes } = plan;
        // A sequence apart from that of the load.
        const { fraction } = new Random(mixSeed(~plan.seed));
        const next = () => workload.next(fraction, spread, { contentBytes });
        const fill = { connections: Math.min(connections, phase.amount), amount: phase.amount, next, recorder: to };
        return runClosed({ ...plan, ...fill, retries: fillRetries }).done;
      };
    case "open": {
      const runOpen = await openLoad(plan);
      return (to, onReply) => runOpen(phase, requests, to, onReply);
    }
    case "source": {
      const run = workload.source?.runs[phase.run];
      if (run === undefined) throw new RangeError(`${plan.domain} has ${workload.source?.runs.length ?? 0} runs`);
      const groups = phase.warmUp === true ? run.warmUp : run.groups;
      const own = { groups: groups?.(phase.scale) ?? [], retries: run.retries ?? 0 };
      return async (to, onReply) => ({ groups: await runSource(plan, own, to, onReply) });
    }
    case "closed": {
      const { until } = phase;
      const amount = until.name === "amount" ? until.amount : undefined;
      return (to, onReply) => {
        const next = (_connection: number, _sent: number, eventId: string | undefined) => requests.next(eventId);
        const closed = runClosed({ ...plan, amount, next, recorder: to, onReply });
        if (until.name === "seconds") setTimeout(() => closed.end(), until.seconds * 1000);
        return closed.done;
      };
    }
  }
}
