import closeWithGrace from "close-with-grace";
import type { Logger } from "pino";
import { ConfigError, exitForConfigError } from "./config-error.ts";

export interface ServiceOptions {
  readonly name: string;
  readonly log: Logger;
  /** Starts everything. The signal is aborted when a stop is asked for before it has ended. */
  start(stopAsked: AbortSignal): Promise<{ stop(): Promise<void> }>;
  /** Milliseconds between the first signal and the exit, come what may. */
  readonly stopWithinMs: number;
}

/**
 * Runs a service until a signal asks it to stop, and exits: 0 stopped in time, 1 too late or after a fault, 2 for a
 * configuration that is not valid. Resolves once it has started; a second signal exits at once.
 */
export async function runService(service: ServiceOptions): Promise<void> {
  const { name, log, stopWithinMs } = service;
  const stopping = new AbortController();
  const starting = Promise.withResolvers<{ stop(): Promise<void> }>();

  // Before anything starts: a signal that comes during the first steps of a start ends it like one that comes later.
  closeWithGrace(
    {
      delay: stopWithinMs,
      logger: false,
      // Raised by a crash these leave nothing that could run a listener: the process would hang instead of dying.
      skip: ["SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGSEGV"],
      onSecondSignal: (signal) => log.error({ signal }, `${name}: a second signal, exiting at once`),
      onSecondError: (error) => log.fatal({ err: error }, `${name}: a fault while stopping, exiting at once`),
      onTimeout: () => log.error({ stopWithinMs }, `${name}: did not stop within ${stopWithinMs} ms, exiting`),
    },
    async ({ err, signal }) => {
      if (err !== undefined) {
        // Nobody knows what state this process is in. All it has in hand is safe when it dies, and only then for sure.
        log.fatal({ err }, `${name}: a fault that nothing caught, exiting`);
        return;
      }
      log.info({ signal }, `${name}: stopping`);
      stopping.abort();
      try {
        await stopAfterStart(starting.promise);
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
    if (stopping.signal.aborted) return; // the stop that aborted it ends the process
    if (error instanceof ConfigError) exitForConfigError(error);
    log.fatal({ err: error }, `${name}: could not start, exiting`);
    process.exit(1);
  }
}

/** A start that was given up has left nothing to stop. */
async function stopAfterStart(started: Promise<{ stop(): Promise<void> }>): Promise<void> {
  const [outcome] = await Promise.allSettled([started]);
  if (outcome.status === "fulfilled") await outcome.value.stop();
}
