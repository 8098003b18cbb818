import { parentPort, workerData } from "node:worker_threads";
import { domains } from "@tally/domains";
import type { Answer, Ask, LoadPlan } from "./protocol.ts";
import { Tills } from "./tills.ts";

/* The load's own thread: what the drill does meanwhile does not delay it. */

const plan: LoadPlan = workerData;
if (parentPort === null) throw new TypeError("runs as a thread");
const port = parentPort;
const tills = new Tills(
  plan,
  domains.filter(({ name }) => plan.domains.includes(name)),
);

port.on("message", (ask: Ask) => void reply(ask));

async function reply(ask: Ask): Promise<void> {
  const said: Answer = { request: ask.request, answer: await answer(ask) };
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the rule is about windows
  port.postMessage(said);
  if (ask.question === "finish") port.close();
}

async function answer({ question, gateway }: Ask): Promise<Answer["answer"]> {
  switch (question) {
    case "figures":
      return tills.figures();
    case "probe":
      return tills.probe(gateway);
    case "finish":
      return tills.finish();
  }
}
