import { setTimeout as delay } from "node:timers/promises";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";

/** What the main thread sends to a thread. */
export type ToThread =
  /** Finish the work in hand, then exit. */
  | { readonly type: "stop" }
  /** Send the metrics, or the work report, to `reply`, or close it without them. */
  | { readonly type: "metrics" | "report"; readonly reply: MessagePort };

/** The workerData of a thread. It gets nothing else: its environment is empty. */
export interface ThreadData<Options> {
  readonly index: number;
  readonly options: Options;
}

export interface ThreadBody {
  /** Finishes the work in hand and closes everything. The thread exits afterwards. */
  stop(): Promise<void>;
  /** A prom-client registry's getMetricsAsJSON(). */
  metrics(): Promise<object>;
  /** What it has done, for the heartbeat of the process. Called once a second. */
  report(): object;
}

/** Makes the calling module the module of a thread; called once, at its top. The thread is ready when `start` resolves.
 * A stop before that ends the thread at once. An uncaught error, in `start` or later, ends only this thread; the fleet
 * logs it and starts the thread again. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller takes its options for this type
export function runThread<Options>(
  start: (options: Options, context: { readonly index: number }) => Promise<ThreadBody>,
): void {
  if (parentPort === null) throw new Error("this module runs only as a thread of a fleet");
  const port = parentPort;
  const { index, options }: ThreadData<Options> = workerData;
  let body: ThreadBody | undefined;

  port.on("message", (message: ToThread) => {
    if (message.type === "stop") void stop(body);
    else void reply(message.reply, () => body?.[message.type]());
  });
  void begin();

  async function begin(): Promise<void> {
    body = await start(options, { index });
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the rule is about windows
    port.postMessage("ready");
  }
}

/** Waits for a step of a stop, but no longer than `ms`: a server that is frozen never responds. */
export async function within(ms: number, work: () => Promise<unknown>): Promise<void> {
  await Promise.race([work(), delay(ms, undefined, { ref: false })]);
}

// Called by the event loop, so the exit interrupts no JavaScript of this thread: supervised-thread.ts says why that
// matters.
async function stop(body: ThreadBody | undefined): Promise<void> {
  await body?.stop();
  process.exit(0); // ends only this thread, even if it left a handle open
}

async function reply(port: MessagePort, what: () => Promise<object> | object | undefined): Promise<void> {
  try {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the rule is about windows
    port.postMessage(await what());
  } catch {
    // What cannot be collected or sent: the fleet leaves out this thread.
  } finally {
    port.close();
  }
}
