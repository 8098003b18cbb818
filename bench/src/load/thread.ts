import { appendFile } from "node:fs/promises";
import { parentPort, workerData } from "node:worker_threads";
import { domains } from "@tally/domains";
import { runClosed } from "./closed.ts";
import type { LoadPlan, Phase } from "./load-plan.ts";
import { runOpen } from "./open.ts";
import type { FromThread, ToThread } from "./protocol.ts";
import { Recorder } from "./recorder.ts";
import { Requests } from "./requests.ts";

/* The load's own thread: what the bench does meanwhile does not delay it. */

const plan: LoadPlan = workerData;
const domain = domains.find(({ name }) => name === plan.domain);
if (parentPort === null || domain === undefined) throw new TypeError("runs as a thread, for a domain that exists");
const port = parentPort;
const requests = new Requests(plan, domain);
let recorder: Recorder | undefined;

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- the rule is about windows
const say = (message: FromThread): void => port.postMessage(message);

port.on("message", (order: ToThread) => {
  if (order.name === "run") void run(order.phase, order.idsFile);
  else if (order.name === "progress")
    say({ name: "progress", accepted: recorder?.accepted ?? 0, read: recorder?.read ?? 0 });
  else port.close();
});

async function run(phase: Phase, idsFile: string | undefined): Promise<void> {
  recorder = new Recorder((sample) => say({ name: "sample", sample }));
  try {
    if (phase.model === "closed") await runClosed(plan, phase.until, requests, recorder);
    else await runOpen(plan, phase, requests, recorder);
    if (idsFile !== undefined) await appendFile(idsFile, recorder.ids);
    say({ name: "done", result: recorder.result() });
  } catch (error) {
    say({ name: "failed", reason: error instanceof Error ? error.message : String(error) });
  }
}
