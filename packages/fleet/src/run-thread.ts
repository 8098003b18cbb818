import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { FleetError } from "./fleet-error.ts";
import type { FromThread, Question, ThreadData, ToThread } from "./protocol.ts";

export interface ThreadBody {
  /** Finishes what is in hand and closes everything. The thread exits when it has. */
  stop(): Promise<void>;
  /** A prom-client registry's getMetricsAsJSON(). */
  metrics?(): Promise<object>;
  /** How the thread sees itself now; structured-cloneable. */
  health?(): object;
}

/**
 * Makes the module that calls it the module of a thread; called once, at its top. The thread is ready when `start`
 * resolves. An error that nothing catches, in `start` or later, ends this thread alone; the fleet logs it and starts the
 * thread again.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it is what the caller takes its options for
export function runThread<Options>(
  start: (options: Options, context: { readonly index: number }) => Promise<ThreadBody>,
): void {
  if (parentPort === null) throw new FleetError("NOT_IN_A_FLEET", "this module runs only as a thread of a fleet");
  const port = parentPort;
  const { index, options }: ThreadData<Options> = workerData;
  const started = start(options, { index });

  port.on("message", (message: ToThread) => {
    switch (message.type) {
      case "stop":
        void stop(started);
        break;
      case "ask":
        void answer(port, started, message.request, message.question);
        break;
    }
  });
  void started.then(() => say(port, { type: "ready" }));
}

async function stop(started: Promise<ThreadBody>): Promise<void> {
  const body = await started;
  await body.stop();
  process.exit(0); // ends this thread only, whatever handle it left open
}

async function answer(
  port: MessagePort,
  started: Promise<ThreadBody>,
  request: number,
  question: Question,
): Promise<void> {
  try {
    const body = await started;
    const given = question === "metrics" ? await body.metrics?.() : body.health?.();
    if (given === undefined) say(port, { type: "refusal", request, reason: `this thread tells no ${question}` });
    else say(port, { type: "answer", request, answer: given });
  } catch (error) {
    say(port, { type: "refusal", request, reason: String(error) });
  }
}

function say(port: MessagePort, message: FromThread): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the rule is about windows
  port.postMessage(message);
}
