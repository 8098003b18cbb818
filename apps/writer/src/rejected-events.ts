import { DatabaseError, findLetters, keyReusedReason, letterOfConflict, letterOfEvent } from "@tally/database";
import { keepLetters } from "@tally/database";
import type { Database, NewLetter } from "@tally/database";
import { contentOf, decodeEvent } from "@tally/contract";
import type { BatchEvent, Domain, Event, Refusal, SqlReader, SqlTransaction } from "@tally/contract";
import type { Delivery } from "@tally/broker";
import type { ReceivedBatch } from "./received-batch.ts";
import { backOff, Outage, type Log } from "@tally/runtime";

/** The events of a batch that the database rejects for their data, and why. Bisects in transactions that it rolls back:
 * about 2·log2(events) for each such event. Writes nothing. */
export async function findRejected(
  database: Database,
  domain: Domain,
  { batch }: ReceivedBatch,
  signal: AbortSignal,
): Promise<ReadonlyMap<Event, string>> {
  const rejected = new Map<Event, string>();
  await probe(batch.events);
  return rejected;

  async function probe(events: readonly Event[]): Promise<void> {
    const reason = await reasonAgainst(events);
    if (reason === undefined) return;
    const [only] = events;
    if (events.length === 1 && only !== undefined) return void rejected.set(only, reason);
    const middle = Math.ceil(events.length / 2);
    await probe(events.slice(0, middle));
    await probe(events.slice(middle));
  }

  async function reasonAgainst(events: readonly Event[]): Promise<string | undefined> {
    // As in storeBatches: of several events with one id the first is written.
    const distinct = new Map<string, BatchEvent>();
    for (const event of events) distinct.getOrInsert(event.id, { event, batch: batch.id });
    try {
      const write = async (transaction: SqlTransaction): Promise<never> => {
        await domain.store.write(transaction, [...distinct.values()], () => undefined);
        throw new RolledBack();
      };
      return await database.transaction(write, { signal });
    } catch (error) {
      if (error instanceof RolledBack) return undefined;
      if (error instanceof DatabaseError && error.kind === "data") return error.message;
      throw error;
    }
  }
}

class RolledBack extends Error {
  readonly code = "ROLLED_BACK";
}

/** The letters of events that are rejected for their data or by the rows. A letter has the id of its event. When a
 * letter with that id holds other content, because a client used an Idempotency-Key for two events, the id is made of
 * the content too: no letter replaces another. One lookup, none without such events. */
export async function lettersOfRejected(
  reader: SqlReader,
  domain: Domain,
  queue: string,
  rejected: readonly (readonly [event: Event, refusal: Refusal])[],
): Promise<readonly NewLetter[]> {
  if (rejected.length === 0) return [];
  const content = (event: Event): string => contentOf(event, domain.arrivalFields);
  const ids = new Set(rejected.map(([{ id }]) => id));
  const kept = new Map<string, string>();
  for (const { id, stage, body } of await findLetters(reader, [...ids])) {
    // A letter of this stage holds an event.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    if (stage === "rejected") kept.set(id, content(decodeEvent(body) as Event));
  }
  return rejected.map(([event, refusal]) => {
    const own = content(event);
    const first = kept.getOrInsert(event.id, own);
    if (first === own) return letterOfEvent(domain.name, queue, event, refusal);
    return { ...letterOfConflict(domain.name, queue, event, own), reason: `${keyReusedReason}; ${refusal.reason}` };
  });
}

export type LetterKeeper = ReturnType<typeof letterKeeper>;

/** Stores dead letters that belong to no batch: whole messages. Retries while the database is down, until `signal`
 * aborts. `onKept` is called for each letter that is stored. */
export function letterKeeper(database: Database, log: Log, signal: AbortSignal, onKept: (letter: NewLetter) => void) {
  const outage = new Outage(log, "keep dead letters");
  // By letter: after a lost connection the broker delivers all again, and copies would accumulate.
  const inHand = new Map<string, { readonly work: Promise<void>; readonly deliveries: readonly Delivery[] }>();

  async function store(letter: NewLetter): Promise<void> {
    const { id, domain, stage, reason } = letter;
    const commit = () => database.transaction((transaction) => keepLetters(transaction, [letter]), { signal });
    const outcome = await retried(outage, commit, signal);
    const deliveries = inHand.get(id)?.deliveries ?? [];
    inHand.delete(id);
    if (outcome === "aborted") return;
    log.error({ id, domain, stage, reason }, "dead letter");
    onKept(letter);
    for (const delivery of deliveries) delivery.ack();
  }

  return {
    /** Acknowledges the deliveries when the letter is stored. */
    keep(letter: NewLetter, ...deliveries: readonly Delivery[]): void {
      const known = inHand.get(letter.id);
      const live = known?.deliveries.filter(({ lost }) => !lost) ?? [];
      inHand.set(letter.id, { work: known?.work ?? store(letter), deliveries: [...live, ...deliveries] });
    },

    async drain(): Promise<void> {
      while (inHand.size > 0) await Promise.all([...inHand.values()].map(({ work }) => work));
    },
  };
}

/** Repeats `work` until it succeeds, or `signal` aborts. */
export async function retried<T>(outage: Outage, work: () => Promise<T>, signal: AbortSignal): Promise<T | "aborted"> {
  for (let failures = 1; !signal.aborted; failures++) {
    try {
      const result = await work();
      outage.worked();
      return result;
    } catch (error) {
      if (signal.aborted) break;
      outage.failed(error);
      await backOff(failures, error, signal);
    }
  }
  return "aborted";
}
