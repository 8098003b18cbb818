import type { Log } from "../failures/failures.ts";
import { FleetStopped, SupervisedThread, type ThreadStatus } from "./supervised-thread.ts";

export interface FleetOptions<Options, Report extends object> {
  /** In every log line. */
  readonly name: string;
  readonly threads: number;
  /** The .ts file that calls runThread. */
  readonly module: URL;
  /** What each thread gets; structured-cloneable. */
  readonly options: Options;
  readonly log: Log;
  /** How long a thread may take to finish its work in hand, in ms. */
  readonly stopWithinMs: number;
  readonly signal?: AbortSignal;
  /** Gets the fleet before its threads are ready. */
  readonly onStarting?: (fleet: Fleet<Report>) => void;
}

/** Complete consumers, each with its own connections. One that dies is started again; the others continue. */
export interface Fleet<Report extends object> {
  readonly threads: readonly ThreadStatus[];
  /** The registries of the threads, as JSON; without threads that do not reply within a second. */
  metrics(): Promise<readonly object[]>;
  /** What the threads report, by index, without threads that do not reply within a second. */
  reports(): Promise<readonly { readonly thread: number; readonly report: Report }[]>;
  /** Asks every thread to finish its work in hand and to exit. A thread that is not ready exits at once. Terminates the
   * threads that still run after `stopWithinMs`, and logs which. Never rejects; a second call waits for the first. */
  stop(): Promise<void>;
}

/** Resolves when every thread was ready once. A thread that dies before is started again, with the usual back-off and
 * without limit: most often a server is down and comes back. Rejects with FleetStopped when `signal` ended that. */
export async function startFleet<Options, Report extends object>(
  o: FleetOptions<Options, Report>,
): Promise<Fleet<Report>> {
  if (o.signal?.aborted === true) throw new FleetStopped(`${o.name} was stopped before it started`);
  const { name, module, log, stopWithinMs } = o;
  const threads = Array.from(
    { length: o.threads },
    (_, index) => new SupervisedThread<Report>({ fleet: name, module, data: { index, options: o.options }, log }),
  );
  let stopping: Promise<void> | undefined;
  const fleet: Fleet<Report> = {
    get threads() {
      return threads.map((thread) => thread.status);
    },

    async metrics() {
      const metrics = await Promise.all(threads.map((thread) => thread.ask("metrics")));
      return metrics.filter((one) => one !== undefined);
    },

    async reports() {
      const reports = await Promise.all(threads.map((thread) => thread.ask("report")));
      return reports.flatMap((report, thread) => (report === undefined ? [] : [{ thread, report }]));
    },

    stop: () => (stopping ??= stopAll()),
  };

  async function stopAll(): Promise<void> {
    const terminated = await Promise.all(threads.map((thread) => thread.stop(stopWithinMs)));
    const hung = [...threads.keys()].filter((index) => terminated[index]);
    if (hung.length === 0) return;
    const line = `${name}: terminated because they did not stop within ${stopWithinMs} ms: thread ${hung.join(", ")}`;
    log.error({ threads: hung }, line);
  }

  o.onStarting?.(fleet);
  const stopEarly = () => void fleet.stop();
  o.signal?.addEventListener("abort", stopEarly);
  try {
    await Promise.all(threads.map((thread) => thread.firstReady));
    return fleet;
  } catch (error) {
    await fleet.stop(); // it has begun already
    throw error;
  } finally {
    o.signal?.removeEventListener("abort", stopEarly);
  }
}
