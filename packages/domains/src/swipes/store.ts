import {
  bytesOfEventId,
  eventIdOfBytes,
  type BatchEvent,
  type SqlReader,
  type SqlTransaction,
  type SqlValue,
} from "@tally/pipeline";
import { addEvents, locateEvent, readEvents, type EventTable } from "../event-rows.ts";
import type { SwipeEvent } from "./event.ts";
import { changesOf, type SwipeChange, type Taken } from "./newest.ts";

const swipes: EventTable<SwipeEvent> = {
  insert: "INSERT INTO swipes (id, swiper, swipee, liked, taken_at, comment, producer, sequence) VALUES ?",
  row: ({ swiper, swipee, liked, at, comment }, id, producer, sequence) => [
    id,
    swiper,
    swipee,
    liked ? 1 : 0,
    at,
    comment,
    producer,
    sequence,
  ],
  select: "SELECT id, swiper, swipee, liked, taken_at, comment FROM swipes WHERE id IN (?)",
  selectBatch: "SELECT producer, sequence FROM swipes WHERE id = ?",
};

const insertOrLockPairs = `
  INSERT INTO swipe_pairs (swiper, swipee, liked, taken_at, swipe_id) VALUES ?
  ON DUPLICATE KEY UPDATE liked = liked`;
const replacePairs = `
  INSERT INTO swipe_pairs (swiper, swipee, liked, taken_at, swipe_id) VALUES ?
  ON DUPLICATE KEY UPDATE liked = VALUES(liked), taken_at = VALUES(taken_at), swipe_id = VALUES(swipe_id)`;
const selectPairs = "SELECT swiper, swipee, liked, taken_at, swipe_id FROM swipe_pairs WHERE (swiper, swipee) IN (?)";

/** Every swipe is a row of its own; beside them each pair has one row, which follows its newest swipe. */
export const store = {
  async write(
    transaction: SqlTransaction,
    recorded: readonly BatchEvent<SwipeEvent>[],
  ): Promise<readonly SwipeChange[]> {
    const added = await addEvents(transaction, swipes, recorded);
    return followPairs(
      transaction,
      added.map((one) => one.recorded),
    );
  },
  locate: (reader: SqlReader, eventId: string) => locateEvent(reader, swipes, eventId),
  read: (reader: SqlReader, eventIds: readonly string[]) => readEvents(reader, swipes, eventOf, eventIds),
  readMax: 500,
};

interface SwipeRow {
  readonly swiper: number;
  readonly swipee: number;
  readonly liked: number;
  readonly taken_at: number;
  readonly comment: string;
}

function eventOf(id: string, { swiper, swipee, liked, taken_at: at, comment }: SwipeRow): SwipeEvent {
  return { id, swiper, swipee, liked: liked === 1, at, comment };
}

interface Pair {
  readonly swiper: number;
  readonly swipee: number;
  readonly swipes: BatchEvent<SwipeEvent>[];
}

/** What a pair's new swipes change, and its newest one then. */
interface Followed {
  readonly pair: Pair;
  readonly changes: readonly SwipeChange[];
  readonly newest: Taken | undefined;
}

/**
 * Common case first: nearly always every pair is new, and one statement says so. It leaves those that exist as they are, and locks them, in
 * one order for all writers: what is read after it stays as it is read until the commit. So it does not matter which of two writers comes
 * first, nor in which order swipes arrive.
 */
async function followPairs(
  transaction: SqlTransaction,
  added: readonly BatchEvent<SwipeEvent>[],
): Promise<readonly SwipeChange[]> {
  if (added.length === 0) return [];
  const fresh = pairsOf(added).map((pair) => follow(pair, undefined));
  const inserted = await transaction.upsert(insertOrLockPairs, fresh.flatMap(rowOf));
  if (inserted === fresh.length) return fresh.flatMap(({ changes }) => changes);

  const stored = await readPairs(
    transaction,
    fresh.map(({ pair }) => pair),
  );
  const followed = fresh.map((own) => {
    const before = stored.get(keyOf(own.pair));
    const isInserted = before === undefined || before.id === own.newest?.id;
    return isInserted ? own : follow(own.pair, before);
  });
  const replaced = followed.filter(({ pair, newest }) => newest?.id !== stored.get(keyOf(pair))?.id);
  if (replaced.length > 0) await transaction.upsert(replacePairs, replaced.flatMap(rowOf));
  return followed.flatMap(({ changes }) => changes);
}

function follow(pair: Pair, stored: Taken | undefined): Followed {
  const { changes, newest } = changesOf(pair.swipes, stored);
  return { pair, changes, newest };
}

function pairsOf(added: readonly BatchEvent<SwipeEvent>[]): readonly Pair[] {
  const pairs = new Map<string, Pair>();
  for (const one of added) {
    const { swiper, swipee } = one.event;
    const pair = pairs.get(keyOf(one.event));
    if (pair === undefined) pairs.set(keyOf(one.event), { swiper, swipee, swipes: [one] });
    else pair.swipes.push(one);
  }
  return [...pairs.values()].toSorted((a, b) => a.swiper - b.swiper || a.swipee - b.swipee);
}

async function readPairs(transaction: SqlTransaction, pairs: readonly Pair[]): Promise<ReadonlyMap<string, Taken>> {
  const rows = await transaction.query<{
    swiper: number;
    swipee: number;
    liked: number;
    taken_at: number;
    swipe_id: Buffer;
  }>(selectPairs, [pairs.map(({ swiper, swipee }) => [swiper, swipee])]);
  return new Map(
    rows.map((row) => [keyOf(row), { id: eventIdOfBytes(row.swipe_id), at: row.taken_at, liked: row.liked === 1 }]),
  );
}

function rowOf({ pair, newest }: Followed): SqlValue[][] {
  if (newest === undefined) return [];
  return [[pair.swiper, pair.swipee, newest.liked ? 1 : 0, newest.at, bytesOfEventId(newest.id)]];
}

function keyOf({ swiper, swipee }: { readonly swiper: number; readonly swipee: number }): string {
  return `${swiper}/${swipee}`;
}
