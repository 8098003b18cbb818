/*
 * The life of one thread as its fleet sees it. There is a worker in starting, ready and stopping, and never more than one.
 *
 *   starting     entered when the fleet starts and when a back-off ends. The worker says "ready" → ready; it exits →
 *                restarting; a stop kills it: it has acknowledged nothing → stopping.
 *   ready        the worker consumes. It exits, whyever → restarting; a stop asks it to finish → stopping.
 *   restarting   no worker; a timer runs. It ends → starting; a stop → stopped.
 *   stopping     the worker finishes what it has in hand, or is killed at the limit. It exits → stopped.
 *   stopped      for good.
 */
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { type ResourceLimits, Worker } from "node:worker_threads";
import type { Log } from "@tally/failures";
import { BackOff } from "./back-off.ts";
import { FleetError } from "./fleet-error.ts";
import { PendingAnswers } from "./pending-answers.ts";
import type { FromThread, Question, ThreadData, ToThread } from "./protocol.ts";
import { reasonOf } from "./reason-of.ts";

export interface ThreadStatus {
  readonly index: number;
  readonly state: "starting" | "ready" | "restarting" | "stopping" | "stopped";
  /** How often it was started again. */
  readonly restarts: number;
  /** Why it died last, with the causes. */
  readonly lastError?: string;
}

export interface ThreadPlan {
  readonly fleet: string;
  readonly module: URL;
  readonly data: ThreadData<unknown>;
  readonly log: Log;
  readonly resourceLimits: ResourceLimits | undefined;
}

type State =
  | { readonly name: "starting"; readonly worker: Worker }
  | { readonly name: "ready"; readonly worker: Worker; readonly sinceMs: number }
  | { readonly name: "restarting"; readonly timer: NodeJS.Timeout }
  | { readonly name: "stopping"; readonly worker: Worker }
  | { readonly name: "stopped" };

const answerWithinMs = 1000;

export class SupervisedThread {
  readonly #plan: ThreadPlan;
  readonly #backOff = new BackOff();
  readonly #pending = new PendingAnswers();
  readonly #firstReady = Promise.withResolvers<void>();
  readonly #stopped = Promise.withResolvers<void>();
  #state: State;
  #restarts = 0;
  #lastError: string | undefined;

  /** Starts the thread. Throws when its data cannot be cloned. */
  constructor(plan: ThreadPlan) {
    this.#plan = plan;
    this.#state = this.#started();
    this.#log("info", "is starting");
  }

  /** Resolves when the thread was ready once; rejects when it is stopped before. */
  get firstReady(): Promise<void> {
    return this.#firstReady.promise;
  }

  get status(): ThreadStatus {
    return {
      index: this.#plan.data.index,
      state: this.#state.name,
      restarts: this.#restarts,
      ...(this.#lastError === undefined ? {} : { lastError: this.#lastError }),
    };
  }

  /** Rejects with a FleetError when the thread is not ready, exits before it answers, or takes longer than a second. */
  async ask(question: Question): Promise<object> {
    const state = this.#state;
    if (state.name !== "ready") throw new FleetError("THREAD_GONE", `the thread is ${state.name}`);
    return this.#pending.ask(question, (message) => tell(state.worker, message), answerWithinMs);
  }

  /** Called once. Resolves when the thread has exited: true when it had to be killed with work in hand. */
  async stop(withinMs: number): Promise<boolean> {
    const state = this.#state;
    switch (state.name) {
      case "starting":
        this.#enter({ name: "stopping", worker: state.worker });
        void state.worker.terminate();
        break;
      case "ready":
        this.#enter({ name: "stopping", worker: state.worker });
        tell(state.worker, { type: "stop" });
        return this.#killAfter(withinMs, state.worker);
      case "restarting":
        clearTimeout(state.timer);
        this.#end(undefined);
        break;
      case "stopping":
      case "stopped":
        break;
    }
    await this.#stopped.promise;
    return false;
  }

  /** Ends the worker where it stands, as a crash would; nothing when there is none. Resolves when it has exited. */
  async kill(): Promise<void> {
    if ("worker" in this.#state) await this.#state.worker.terminate();
  }

  #started(): State {
    const { fleet, module, data, resourceLimits } = this.#plan;
    const worker = new Worker(module, {
      name: `${fleet}-${data.index}`,
      workerData: data,
      // All a thread knows comes with its options; only Node itself finds its cache of compiled code here.
      env: compileCache(),
      ...(resourceLimits === undefined ? {} : { resourceLimits }),
    });
    let fault: unknown;
    worker.on("message", (message: FromThread) => this.#heard(message));
    worker.on("error", (error) => (fault = error)); // "exit" follows
    worker.on("exit", (exitCode) => this.#exited(exitCode, fault));
    return { name: "starting", worker };
  }

  #heard(message: FromThread): void {
    switch (message.type) {
      case "ready":
        // Told to stop meanwhile, it stays so.
        if (this.#state.name !== "starting") return;
        this.#enter({ name: "ready", worker: this.#state.worker, sinceMs: performance.now() });
        this.#firstReady.resolve();
        break;
      case "answer":
      case "refusal":
        this.#pending.take(message);
        break;
    }
  }

  #exited(exitCode: number, error: unknown): void {
    this.#pending.rejectAll();
    const state = this.#state;
    switch (state.name) {
      case "starting":
        this.#restart(0, exitCode, error);
        break;
      case "ready":
        this.#restart(performance.now() - state.sinceMs, exitCode, error);
        break;
      case "stopping":
        this.#end(error);
        break;
      case "restarting":
      case "stopped":
        break; // there is no worker
    }
  }

  #restart(readyForMs: number, exitCode: number, error: unknown): void {
    const delayMs = Math.round(this.#backOff.nextDelayMs(readyForMs));
    const timer = setTimeout(() => {
      this.#restarts += 1;
      this.#enter(this.#started());
    }, delayMs);
    this.#lastError = error === undefined ? `it exited with ${exitCode}, which nobody asked for` : reasonOf(error);
    this.#state = { name: "restarting", timer };
    this.#log("error", `died: ${this.#lastError}; it starts again in ${delayMs} ms`, { err: error });
  }

  #end(error: unknown): void {
    this.#state = { name: "stopped" };
    if (error === undefined) {
      this.#log("info", "is stopped");
    } else {
      this.#lastError = reasonOf(error);
      this.#log("error", `died while it stopped: ${this.#lastError}`, { err: error });
    }
    this.#firstReady.reject(new FleetError("FLEET_STOPPED", `thread ${this.#plan.data.index} was stopped unready`));
    this.#stopped.resolve();
  }

  async #killAfter(withinMs: number, worker: Worker): Promise<boolean> {
    let killed = false;
    const timer = setTimeout(() => {
      killed = true;
      this.#lastError = `it did not stop within ${withinMs} ms`;
      void worker.terminate();
    }, withinMs);
    await this.#stopped.promise;
    clearTimeout(timer);
    return killed;
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

function tell(worker: Worker, message: ToThread): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the rule is about windows
  worker.postMessage(message);
}

function compileCache(): Record<string, string> {
  const directory = getCompileCacheDir();
  // What Node names is the folder of its version within the one that it was told.
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) };
}
