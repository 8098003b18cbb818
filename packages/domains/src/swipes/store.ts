import { bytesOfEventId, eventIdOfBytes, type BatchEvent, type SqlTransaction, type SqlValue } from "@tally/contract";
import { eventTable } from "../event-table.ts";
import { SwipeEvent } from "./event.ts";
import { changesOf, type SwipeChange, type Taken } from "./rank.ts";

export const table = eventTable(SwipeEvent, "swipes", {
  swiper: "swiper",
  swipee: "swipee",
  liked: "liked",
  at: "taken_at",
  comment: "comment",
});

const insertOrLockPairs = `
  INSERT INTO swipe_pairs (swiper, swipee, liked, taken_at, swipe_id) VALUES ?
  ON DUPLICATE KEY UPDATE liked = liked`;
const replacePairs = `
  INSERT INTO swipe_pairs (swiper, swipee, liked, taken_at, swipe_id) VALUES ?
  ON DUPLICATE KEY UPDATE liked = VALUES(liked), taken_at = VALUES(taken_at), swipe_id = VALUES(swipe_id)`;
const selectPairs =
  "SELECT swiper, swipee, liked, taken_at AS at, swipe_id FROM swipe_pairs WHERE (swiper, swipee) IN (?)";

/** One row for each swipe, and one row for each pair, which equals the pair's newest swipe. */
export const store = {
  ...table,
  async write(transaction: SqlTransaction, events: readonly BatchEvent<SwipeEvent>[]): Promise<readonly SwipeChange[]> {
    return updatePairs(transaction, await table.write(transaction, events));
  },
};

interface Pair extends Pick<SwipeEvent, "swiper" | "swipee"> {
  readonly swipes: readonly BatchEvent<SwipeEvent>[];
}

type PairUpdate = ReturnType<typeof updateOf>;

/** Common case first: all pairs are new, and one statement inserts them. It leaves existing pairs unchanged and locks
 * them, in one order for all writers, so what is read next is valid until the commit. The order of writers and of
 * swipes does not matter. */
async function updatePairs(
  transaction: SqlTransaction,
  added: readonly BatchEvent<SwipeEvent>[],
): Promise<readonly SwipeChange[]> {
  if (added.length === 0) return [];
  const fresh = pairsOf(added).map((pair) => updateOf(pair));
  const inserted = await transaction.upsert(insertOrLockPairs, fresh.flatMap(rowOf));
  if (inserted === fresh.length) return fresh.flatMap(({ changes }) => changes);

  const stored = await readPairs(transaction, fresh);
  const updates = fresh.map((update) => {
    const before = stored.get(keyOf(update.pair));
    const isInserted = before === undefined || before.id === update.newest?.id;
    return isInserted ? update : updateOf(update.pair, before);
  });
  const replaced = updates.filter(({ pair, newest }) => newest?.id !== stored.get(keyOf(pair))?.id);
  if (replaced.length > 0) await transaction.upsert(replacePairs, replaced.flatMap(rowOf));
  return updates.flatMap(({ changes }) => changes);
}

const updateOf = (pair: Pair, stored?: Taken) => ({ pair, ...changesOf(pair.swipes, stored) });

function pairsOf(added: readonly BatchEvent<SwipeEvent>[]): readonly Pair[] {
  const groups = [...Map.groupBy(added, ({ event }) => keyOf(event)).values()];
  return groups
    .flatMap((group) => group.slice(0, 1).map(({ event: { swiper, swipee } }) => ({ swiper, swipee, swipes: group })))
    .toSorted((a, b) => a.swiper - b.swiper || a.swipee - b.swipee);
}

async function readPairs(transaction: SqlTransaction, updates: readonly PairUpdate[]) {
  interface PairRow extends Pick<SwipeEvent, "swiper" | "swipee" | "at"> {
    readonly liked: number;
    readonly swipe_id: Buffer;
  }
  const keys = updates.map(({ pair }) => [pair.swiper, pair.swipee]);
  const rows = await transaction.query<PairRow>(selectPairs, [keys]);
  const takenOf = (row: PairRow): Taken => ({ id: eventIdOfBytes(row.swipe_id), at: row.at, liked: row.liked === 1 });
  return new Map(rows.map((row) => [keyOf(row), takenOf(row)]));
}

function rowOf({ pair, newest }: PairUpdate): SqlValue[][] {
  if (newest === undefined) return [];
  return [[pair.swiper, pair.swipee, newest.liked ? 1 : 0, newest.at, bytesOfEventId(newest.id)]];
}

const keyOf = ({ swiper, swipee }: Pick<SwipeEvent, "swiper" | "swipee">): string => `${swiper}/${swipee}`;
