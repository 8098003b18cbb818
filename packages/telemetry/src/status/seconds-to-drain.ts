/** What waits before the two stages of a domain, and how fast it is processed. */
export interface Waiting {
  /** Batches in the ingest and in the rank queue, and those that consumers hold. */
  readonly batches: { readonly ingest: number; readonly rank: number };
  readonly eventsPerBatch: number;
  /** Events per second. */
  readonly stored: number;
  readonly ranked: number;
  /** What each process holds. One that stands still is seen although others progress. */
  readonly holders: readonly Holder[];
}

/** The unsettled batches of one process, and how many of them it settles. */
export interface Holder {
  readonly batches: number;
  readonly batchesPerSecond: number;
}

// A running system has a batch or two before each stage at most moments. At a low rate these would look like minutes.
const passingBatches = 2;
const passingSeconds = 1;

/** The time until every waiting event is stored and ranked, by the slowest of the rates. 0: none waits. null: a rate is 0. */
export function secondsToDrain({
  batches: { ingest, rank },
  eventsPerBatch,
  stored,
  ranked,
  holders,
}: Waiting): number | null {
  if (ingest + rank === 0) return 0;
  // A stored event is then ranked.
  const parts = [
    ingest === 0 ? 0 : (ingest * eventsPerBatch) / stored,
    ((ingest + rank) * eventsPerBatch) / ranked,
    ...holders.map(({ batches, batchesPerSecond }) => (batches === 0 ? 0 : batches / batchesPerSecond)),
  ];
  const seconds = Math.max(...parts);
  if (!Number.isFinite(seconds)) return null;
  const isPassing = ingest <= passingBatches && rank <= passingBatches;
  return Math.round((isPassing ? Math.min(seconds, passingSeconds) : seconds) * 10) / 10;
}
