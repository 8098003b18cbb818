/** An error's message and those of its causes, in one line. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner = error instanceof AggregateError ? error.errors : [];
  // For a refused connection only the inner errors, one per address, have a message.
  const own = error.message || inner.map(reasonOf).join(", ") || error.name;
  return error.cause === undefined ? own : `${own}: ${reasonOf(error.cause)}`;
}
