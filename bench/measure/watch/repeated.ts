/** Calls `step` again and again. Returns what ends that: it waits for the call under way, and rejects with the error of
 * a failed one. */
export function repeated(step: () => Promise<void>): () => Promise<void> {
  let isStopped = false;
  const run = async (): Promise<void> => {
    while (!isStopped) await step();
  };
  const running = run();
  // The end rejects with it.
  running.catch(() => undefined);
  return async () => {
    isStopped = true;
    await running;
  };
}
