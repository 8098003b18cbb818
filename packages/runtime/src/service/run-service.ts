import closeWithGrace from "close-with-grace";
import type { Logger } from "pino";
import { ConfigError, exitForConfigError } from "./config.ts";

export interface ServiceOptions {
  readonly name: string;
  readonly log: Logger;
  /** Starts everything. The signal is aborted when a stop is requested during the start. */
  start(stopRequested: AbortSignal): Promise<{ stop(): Promise<void> }>;
  /** The longest time between the first signal and the exit, in ms. */
  readonly stopWithinMs: number;
}

/** Runs a service until a signal, then exits: 0 in time, 1 late or failed, 2 wrong configuration. */
export async function runService(service: ServiceOptions): Promise<void> {
  const { name, log, stopWithinMs } = service;
  const stopping = new AbortController();
  const starting = Promise.withResolvers<{ stop(): Promise<void> }>();

  // Before anything starts, so that a signal during the first steps of the start is handled too.
  closeWithGrace(
    {
      delay: stopWithinMs,
      logger: false,
      // After a crash with these signals no listener can run: the process would hang instead of dying.
      skip: ["SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGSEGV"],
      onSecondSignal: (signal) => log.error({ signal }, `${name}: second signal, exiting at once`),
      onSecondError: (error) => log.fatal({ err: error }, `${name}: error while stopping, exiting at once`),
      onTimeout: () => log.error({ stopWithinMs }, `${name}: did not stop within ${stopWithinMs} ms, exiting`),
    },
    async ({ err, signal }) => {
      if (err !== undefined) {
        // The state of this process is unknown. Unfinished work is safe only when the process dies.
        log.fatal({ err }, `${name}: uncaught error, exiting`);
        return;
      }
      log.info({ signal }, `${name}: stopping`);
      stopping.abort();
      try {
        const [started] = await Promise.allSettled([starting.promise]);
        // An aborted start leaves nothing to stop.
        if (started.status === "fulfilled") await started.value.stop();
      } catch (error) {
        log.error({ err: error }, `${name}: stopping failed, exiting`);
        throw error; // makes the exit status 1
      }
      log.info(`${name}: stopped`);
    },
  );

  starting.resolve((async () => service.start(stopping.signal))());
  try {
    await starting.promise;
    if (!stopping.signal.aborted) log.info(`${name}: started`);
  } catch (error) {
    if (stopping.signal.aborted) return; // the stop that aborted the start ends the process
    if (error instanceof ConfigError) exitForConfigError(error);
    log.fatal({ err: error }, `${name}: cannot start, exiting`);
    process.exit(1);
  }
}
