import { appendFileSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { workloadOf } from "@tally/domains/workloads";
import { runClosed } from "./closed.ts";
import { runFill } from "./fill.ts";
import type { Fill, LoadPlan, Phase } from "./load-plan.ts";
import { openLoad } from "./open.ts";
import type { FromThread, ToThread } from "./protocol.ts";
import { Recorder } from "./recorder.ts";
import { Requests } from "./requests.ts";
import { runSource } from "./source.ts";

/* The load's own thread: what the bench does meanwhile does not delay it. */

const plan: LoadPlan = workerData;
if (parentPort === null) throw new TypeError("runs as a thread");
const port = parentPort;
const workload = workloadOf(plan.domain);
const { source } = workload;
const requests = new Requests(plan, workload);
let recorder: Recorder | undefined;
let ready: ((to: Recorder) => Promise<void>) | undefined;

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- the rule is about windows
const say = (message: FromThread): void => port.postMessage(message);

port.on("message", (order: ToThread) => {
  if (order.name === "prepare") void makeReady(order.phase);
  else if (order.name === "run") void run(order.idsFile);
  else if (order.name === "progress") say({ name: "progress", through: recorder?.through ?? 0 });
  else port.close();
});

/** Makes ready what a phase needs before its time begins. The answer runs it. */
async function prepare(phase: Phase | Fill): Promise<(to: Recorder) => Promise<void>> {
  if (phase.model === "fill") return (to) => runFill(plan, workload, phase.amount, to);
  if (phase.model === "open") {
    const runOpen = await openLoad(plan);
    return (to) => runOpen(phase, requests, to);
  }
  if (phase.model === "source") {
    const sourceRun = source?.runs[phase.run];
    if (sourceRun === undefined) throw new RangeError(`${plan.domain} has ${source?.runs.length ?? 0} runs`);
    const groups = phase.warmUp === true ? sourceRun.warmUp : sourceRun.groups;
    return (to) => runSource(plan, { groups: groups?.(phase.scale) ?? [], retries: sourceRun.retries ?? 0 }, to);
  }
  const { until } = phase;
  const amount = until.name === "amount" ? until.amount : undefined;
  return (to) => {
    const next = (_connection: number, _sent: number, eventId: string | undefined) => requests.next(eventId);
    const closed = runClosed({ ...plan, amount, next, recorder: to });
    if (until.name === "seconds") setTimeout(() => closed.end(), until.seconds * 1000);
    return closed.done;
  };
}

async function makeReady(phase: Phase | Fill): Promise<void> {
  recorder = undefined;
  try {
    ready = await prepare(phase);
    say({ name: "prepared" });
  } catch (error) {
    fail(error);
  }
}

async function run(idsFile: string | undefined): Promise<void> {
  try {
    if (ready === undefined) throw new Error("nothing is prepared");
    const runPhase = ready;
    ready = undefined;
    recorder = new Recorder((sample) => say({ name: "sample", sample }));
    await runPhase(recorder);
    // In one write: other threads append to it too.
    if (idsFile !== undefined) appendFileSync(idsFile, recorder.ids);
    say({ name: "done", result: recorder.result() });
  } catch (error) {
    fail(error);
  }
}

function fail(error: unknown): void {
  say({ name: "failed", reason: error instanceof Error ? error.message : String(error) });
}
