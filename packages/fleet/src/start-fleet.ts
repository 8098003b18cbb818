import type { ResourceLimits } from "node:worker_threads";
import type { Log } from "@tally/failures";
import { FleetError } from "./fleet-error.ts";
import { SupervisedThread, type ThreadStatus } from "./supervised-thread.ts";

export interface FleetOptions<Options> {
  /** Stands in every log line. */
  readonly name: string;
  readonly threads: number;
  /** The .ts file that calls runThread. */
  readonly module: URL;
  /** What each thread is given; structured-cloneable. */
  readonly options: Options;
  readonly log: Log;
  /** Milliseconds that a thread may take to finish what it has in hand. */
  readonly stopWithinMs: number;
  /** A thread that reaches its heap's limit dies alone, unless it fills it within one turn: then V8 ends the process. */
  readonly resourceLimits?: ResourceLimits;
  /** Stops a fleet that is not ready yet. */
  readonly signal?: AbortSignal;
}

/** Threads that each are a whole consumer with connections of their own. One that dies is started again, the others go on. */
export interface Fleet {
  /** As it is now, one for each thread. */
  readonly threads: readonly ThreadStatus[];
  /** The registries of the threads, as JSON; without those that do not answer within a second. */
  metrics(): Promise<readonly object[]>;
  /** What each thread tells of its health, by index; undefined where it does not answer within a second. */
  health(): Promise<readonly (object | undefined)[]>;
  /**
   * Lets every thread finish what it has in hand, kills after `stopWithinMs` those that have not, and names them in a log
   * line. A thread that is not ready is killed at once. Never rejects; a second call waits for the first.
   */
  stop(): Promise<void>;
  /** Kills one thread where it stands, for the fault drill; it is started again. Resolves when it is dead. */
  terminate(index: number): Promise<void>;
}

/**
 * Resolves when every thread was ready once. A thread that dies before is tried again, for ever and with the back-off of
 * any other death: mostly a server is away, and it will be back. Rejects with FLEET_STOPPED when the signal ended that.
 */
export async function startFleet<Options>(o: FleetOptions<Options>): Promise<Fleet> {
  if (o.signal?.aborted === true) throw new FleetError("FLEET_STOPPED", "it was stopped before it started");
  const threads = Array.from(
    { length: o.threads },
    (_, index) =>
      new SupervisedThread({
        fleet: o.name,
        module: o.module,
        data: { index, options: o.options },
        log: o.log,
        resourceLimits: o.resourceLimits,
      }),
  );
  const fleet = fleetOf(o, threads);
  const stopEarly = () => void fleet.stop();
  o.signal?.addEventListener("abort", stopEarly);
  try {
    await Promise.all(threads.map((thread) => thread.firstReady));
    return fleet;
  } catch (error) {
    await fleet.stop(); // under way already: it is waited for
    throw error;
  } finally {
    o.signal?.removeEventListener("abort", stopEarly);
  }
}

function fleetOf(o: FleetOptions<unknown>, threads: readonly SupervisedThread[]): Fleet {
  let stopping: Promise<void> | undefined;
  return {
    get threads() {
      return threads.map((thread) => thread.status);
    },

    async metrics() {
      const answers = await Promise.allSettled(threads.map((thread) => thread.ask("metrics")));
      return answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
    },

    async health() {
      const answers = await Promise.allSettled(threads.map((thread) => thread.ask("health")));
      return answers.map((answer) => (answer.status === "fulfilled" ? answer.value : undefined));
    },

    stop() {
      stopping ??= stopAll(o, threads);
      return stopping;
    },

    async terminate(index) {
      const thread = threads[index];
      if (thread === undefined) throw new FleetError("THREAD_UNKNOWN", `${o.name} has no thread ${index}`);
      await thread.kill();
    },
  };
}

async function stopAll(
  { name, log, stopWithinMs }: FleetOptions<unknown>,
  threads: readonly SupervisedThread[],
): Promise<void> {
  const killed = await Promise.all(threads.map((thread) => thread.stop(stopWithinMs)));
  const names = threads.filter((_, i) => killed[i] === true).map((thread) => thread.status.index);
  if (names.length > 0) {
    log.error(
      { threads: names },
      `${name}: killed after ${stopWithinMs} ms without a stop: thread ${names.join(", ")}`,
    );
  }
}
