import { contentOf, type Domain, type Event, type BatchEvent, type SqlReader } from "@tally/contract";

/** An event whose id belongs to an event with other content. */
export interface Conflict {
  readonly recorded: BatchEvent;
  /** contentOf its event. */
  readonly content: string;
}

/** All events of a transaction, after the first of each id was written. */
export interface Arrivals {
  /** The first event of each id, and the ids of those that became rows. */
  readonly first: ReadonlyMap<string, BatchEvent>;
  readonly stored: ReadonlySet<string>;
  /** Further events with an id that occurred before in the transaction. */
  readonly repeats: readonly BatchEvent[];
}

/**
 * Compares every event whose id existed before with its row, or with the first event of its id in this transaction.
 * Equal content: a duplicate. Other content: a conflict, because a client used an Idempotency-Key for two events. Costs
 * nothing without duplicates.
 */
export async function findConflicts(
  reader: SqlReader,
  domain: Domain,
  { first, stored, repeats }: Arrivals,
): Promise<readonly Conflict[]> {
  const known = [...first.values()].filter(({ event }) => !stored.has(event.id));
  if (known.length === 0 && repeats.length === 0) return [];
  const content = (event: Event): string => contentOf(event, domain.arrivalFields);
  const ids = known.map(({ event }) => event.id);
  const contents = await storedContents(reader, domain, ids, content);
  for (const { event } of repeats) {
    const own = first.get(event.id);
    if (own !== undefined && stored.has(event.id)) addTo(contents, event.id, content(own.event));
  }
  return [...known, ...repeats]
    .map((recorded): Conflict => ({ recorded, content: content(recorded.event) }))
    .filter((one) => contents.get(one.recorded.event.id)?.has(one.content) !== true);
}

/**
 * The contents of stored events by id. A table with partitions may have several rows of one id
 * (docs/decisions/0023-retention.md).
 */
async function storedContents(
  reader: SqlReader,
  { store }: Domain,
  ids: readonly string[],
  content: (event: Event) => string,
): Promise<Map<string, Set<string>>> {
  const contents = new Map<string, Set<string>>();
  for (let at = 0; at < ids.length; at += store.readMax) {
    const events = await store.read(reader, ids.slice(at, at + store.readMax));
    for (const event of events) addTo(contents, event.id, content(event));
  }
  return contents;
}

function addTo(contents: Map<string, Set<string>>, id: string, content: string): void {
  const known = contents.get(id);
  if (known === undefined) contents.set(id, new Set([content]));
  else known.add(content);
}
