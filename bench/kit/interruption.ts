// A Ctrl-C can arrive twice: from the terminal, and from pnpm, which hands it on.
const sameInterruptMs = 1000;

/** Aborted by the first SIGINT, SIGTERM or SIGHUP, after `onInterrupt`. One more after a second ends the process. */
export function interruption(onInterrupt: () => void): AbortSignal {
  const interrupted = new AbortController();
  let interruptedAt = Infinity;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => {
      if (performance.now() - interruptedAt > sameInterruptMs) process.exit(130);
      if (interrupted.signal.aborted) return;
      interruptedAt = performance.now();
      onInterrupt();
      interrupted.abort(new Error(`interrupted by ${signal}`));
    });
  return interrupted.signal;
}
