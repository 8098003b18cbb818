/*
 * The life of one thread as its fleet sees it. It has a worker in starting, ready and stopping, and never more than
 * one.
 *
 *   starting     at the start of the fleet and after a back-off. The worker is ready → ready; it exits → restarting; a
 *                stop → stopping
 *   ready        the worker consumes. It exits, for any reason → restarting; a stop → stopping
 *   restarting   no worker; a timer runs. It ends → starting; a stop → stopped
 *   stopping     the worker finishes its work and exits, or is terminated at the time limit → stopped
 *   stopped      for good
 *
 * Threads are stopped by message, because Worker.terminate() can kill the whole process. It interrupts JavaScript at
 * any place. If that is the creation of a zlib stream, Node 26.10 aborts ("close before init" in
 * CompressionStream::Close). In writer and ranker threads only mysql2 creates such streams, for each packet, and only
 * when a database URL has `compress=true`. terminate() is the last resort at the time limit. Node does the same to
 * threads that still run when the process exits after STOP_WITHIN_MS or a fault. An abort has the effect of a kill: all
 * threads of the process end with SIGABRT, and the broker delivers their unacknowledged batches again.
 */
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { reasonOf, type Log, backOffMs } from "../failures/failures.ts";
import type { ThreadData, ToThread } from "./run-thread.ts";

export interface ThreadStatus {
  readonly index: number;
  readonly state: "starting" | "ready" | "restarting" | "stopping" | "stopped";
  readonly restarts: number;
  /** Why it died last, with the causes; null: it has not died. */
  readonly lastError: string | null;
}

export interface ThreadPlan {
  readonly fleet: string;
  readonly module: URL;
  readonly data: ThreadData<unknown>;
  readonly log: Log;
}

type State =
  | { readonly name: "starting"; readonly worker: Worker }
  | { readonly name: "ready"; readonly worker: Worker; readonly sinceMs: number }
  | { readonly name: "restarting"; readonly timer: NodeJS.Timeout }
  | { readonly name: "stopping"; readonly worker: Worker }
  | { readonly name: "stopped" };

const replyWithinMs = 1000;
const healthyAfterMs = 30_000;

/** The fleet was stopped before every thread had been ready once. */
export class FleetStopped extends Error {
  readonly code = "FLEET_STOPPED";
}

export class SupervisedThread<Report extends object> {
  readonly #plan: ThreadPlan;
  /** Deaths in a row; those before 30 s of readiness no longer count. */
  #deaths = 0;
  readonly #firstReady = Promise.withResolvers<void>();
  /** Resolves when the thread was ready once; rejects with FleetStopped when it is stopped before. */
  readonly firstReady = this.#firstReady.promise;
  readonly #stopped = Promise.withResolvers<void>();
  #state: State;
  #restarts = 0;
  #lastError: string | null = null;

  /** Starts the thread. Throws when its data cannot be cloned. */
  constructor(plan: ThreadPlan) {
    this.#plan = plan;
    this.#state = this.#started();
    this.#log("info", "is starting");
  }

  get status(): ThreadStatus {
    return {
      index: this.#plan.data.index,
      state: this.#state.name,
      restarts: this.#restarts,
      lastError: this.#lastError,
    };
  }

  /** The metrics of its registry as JSON, or what ThreadBody.report returns. undefined when the thread is not ready,
   * exits, fails to collect it or takes longer than a second. */
  ask(type: "metrics"): Promise<object | undefined>;
  ask(type: "report"): Promise<Report | undefined>;
  async ask(type: "metrics" | "report"): Promise<object | undefined> {
    if (this.#state.name !== "ready") return undefined;
    const { port1, port2 } = new MessageChannel();
    const request: ToThread = { type, reply: port2 };
    this.#state.worker.postMessage(request, [port2]);
    return reply(port1, replyWithinMs);
  }

  /** Called once. Resolves when the thread has exited: true when it had to be terminated. */
  async stop(withinMs: number): Promise<boolean> {
    let terminated = false;
    if (this.#state.name === "restarting") {
      clearTimeout(this.#state.timer);
      this.#end(undefined);
    } else if (this.#state.name !== "stopped") {
      const { worker } = this.#state;
      this.#enter({ name: "stopping", worker });
      const request: ToThread = { type: "stop" };
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the rule is about windows
      worker.postMessage(request);
      const timer = setTimeout(() => {
        terminated = true;
        this.#lastError = `it did not stop within ${withinMs} ms`;
        void worker.terminate();
      }, withinMs);
      await this.#stopped.promise;
      clearTimeout(timer);
    }
    return terminated;
  }

  #started(): State {
    const { fleet, module, data } = this.#plan;
    const worker = new Worker(module, {
      name: `${fleet}-${data.index}`,
      workerData: data,
      // A thread's options hold all that it needs; only Node reads this environment, for its cache of compiled code.
      env: compileCache(),
    });
    let fault: unknown;
    worker.once("message", () => {
      // A thread's only message, "ready". A stop may have come first.
      if (this.#state.name !== "starting") return;
      this.#enter({ name: "ready", worker, sinceMs: performance.now() });
      this.#firstReady.resolve();
    });
    worker.on("error", (error) => (fault = error)); // "exit" follows
    worker.on("exit", (exitCode) => this.#exited(exitCode, fault));
    return { name: "starting", worker };
  }

  #exited(exitCode: number, error: unknown): void {
    if (this.#state.name === "stopping") this.#end(error);
    else this.#restart(this.#state.name === "ready" ? performance.now() - this.#state.sinceMs : 0, exitCode, error);
  }

  #restart(readyForMs: number, exitCode: number, error: unknown): void {
    this.#deaths = readyForMs >= healthyAfterMs ? 1 : this.#deaths + 1;
    const delayMs = Math.round(backOffMs(this.#deaths, "thread"));
    const timer = setTimeout(() => {
      this.#restarts += 1;
      this.#enter(this.#started());
    }, delayMs);
    this.#lastError = error === undefined ? `it exited unexpectedly with status ${exitCode}` : reasonOf(error);
    this.#state = { name: "restarting", timer };
    this.#log("error", `died: ${this.#lastError}; restarting in ${delayMs} ms`, { err: error });
  }

  #end(error: unknown): void {
    this.#state = { name: "stopped" };
    if (error === undefined) {
      this.#log("info", "is stopped");
    } else {
      this.#lastError = reasonOf(error);
      this.#log("error", `died while stopping: ${this.#lastError}`, { err: error });
    }
    this.#firstReady.reject(new FleetStopped(`thread ${this.#plan.data.index} was stopped before it was ready`));
    this.#stopped.resolve();
  }

  #enter(state: State): void {
    this.#state = state;
    this.#log("info", `is ${state.name}`);
  }

  #log(level: "info" | "error", text: string, fields: object = {}): void {
    const { fleet, data, log } = this.#plan;
    log[level]({ thread: data.index, state: this.#state.name, ...fields }, `${fleet}: thread ${data.index} ${text}`);
  }
}

/** The message of a port; undefined when it, or its thread, ends without one, or after `withinMs`. */
function reply<Reply>(port: MessagePort, withinMs: number): Promise<Reply | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => port.close(), withinMs);
    port.once("message", resolve);
    port.once("close", () => {
      clearTimeout(timer);
      resolve(undefined);
    });
  });
}

function compileCache(): Record<string, string> {
  const directory = getCompileCacheDir();
  // Node returns the subfolder of its version, and expects the folder above it.
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) };
}
