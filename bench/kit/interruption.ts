import { onLauncherGone } from "@tally/local";

// A Ctrl-C can arrive twice: from the terminal, and from pnpm, which hands it on.
const sameInterruptMs = 1000;

/** Aborted by the first SIGINT, SIGTERM or SIGHUP, or by the end of the npx or pnpm that started this, after
 * `onInterrupt`. `onAgain` is called for one more signal after a second; it ends the process by default. */
export function interruption(onInterrupt: () => void, onAgain = (): void => process.exit(130)): AbortSignal {
  const interrupted = new AbortController();
  let interruptedAt = Infinity;
  const interrupt = (by: string): void => {
    if (interrupted.signal.aborted) return;
    interruptedAt = performance.now();
    onInterrupt();
    interrupted.abort(new Error(`interrupted by ${by}`));
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => {
      if (performance.now() - interruptedAt > sameInterruptMs) onAgain();
      interrupt(signal);
    });
  onLauncherGone(() => interrupt("the end of its launcher"));
  return interrupted.signal;
}
