import { ServiceError } from "../process/service-error.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs work that Ctrl-C must not cut in two: while it runs, a signal to this process aborts it and it cleans up after itself. */
export async function whileInterruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const abort = (): void =>
    controller.abort(new ServiceError("interrupted", "Interrupted while the services started."));
  for (const name of SIGNALS) process.on(name, abort);
  try {
    return await work(controller.signal);
  } finally {
    for (const name of SIGNALS) process.removeListener(name, abort);
  }
}
