import { onLauncherGone, ServiceError } from "@tally/local";
import { WrongUsage } from "../wrong-usage.ts";
import { say } from "./flags.ts";

/** Exits with 2 on usage or start-up errors, 130 when interrupted, after one line of text; rethrows bugs. */
export async function reportFailure(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const signal = interruption();
  try {
    await work(signal);
  } catch (error) {
    if (signal.aborted) {
      say("interrupted; its servers are stopped");
      process.exit(130);
    }
    // A ServiceError explains why a server or an app did not start: a wrong setting, a missing program.
    if (!(error instanceof WrongUsage || error instanceof ServiceError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  }
}

function interruption(): AbortSignal {
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    // Handled every time: a second Ctrl-C must not leave servers running.
    process.on(signal, () => interrupted.abort(new Error(`interrupted by ${signal}`)));
  onLauncherGone(() => interrupted.abort(new Error("interrupted: its parent process has ended")));
  return interrupted.signal;
}
