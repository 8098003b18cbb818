import { onLauncherGone, ServiceError } from "@tally/local";
import { WrongUsage } from "../wrong-usage.ts";
import { say } from "./say.ts";

/** What a user did wrong, servers that do not start, or an interruption, is told without a system, and its exit status is 2, or 130. Anything else is a fault of ours. */
export async function orTell(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const { signal } = interruption();
  try {
    await work(signal);
  } catch (error) {
    if (signal.aborted) {
      say("interrupted; its servers are stopped");
      process.exit(130);
    }
    // Servers or apps that do not start tell why themselves: a setting that they do not take, a program that is missing.
    if (!(error instanceof WrongUsage || error instanceof ServiceError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  }
}

function interruption(): AbortController {
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    // Every time: a second Ctrl-C must not leave servers behind.
    process.on(signal, () => interrupted.abort(new Error(`interrupted by ${signal}`)));
  onLauncherGone(() => interrupted.abort(new Error("interrupted: what has started it is gone")));
  return interrupted;
}
