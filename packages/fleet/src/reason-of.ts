/** An error's message and those of its causes, in one line. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner = error instanceof AggregateError ? error.errors : [];
  // A refused connection has no message of its own, only those of the addresses that were tried.
  const own = error.message || inner.map(reasonOf).join(", ") || error.name;
  return error.cause === undefined ? own : `${own}: ${reasonOf(error.cause)}`;
}
