import { naturals, rangesOf, rangesOfIds } from "@tally/contract";
import type { Moves, Recount, Change } from "@tally/contract";
import type { SwipeEvent } from "./event.ts";

export const likesBoard = "likes";

/** A like counts for its swipee until a newer swipe of the same user removes it. */
export function rank(changes: readonly SwipeChange[], moves: Moves): void {
  for (const { event, before, after } of changes) {
    const by = Number(after) - Number(before ?? false);
    if (by !== 0) moves.add(likesBoard, String(event.swipee), by);
  }
}

const ids = rangesOfIds("id", "swipes");
const pairs = rangesOf(`'${likesBoard}', swipee, liked, NULL, NULL`, "swipe_pairs", "swiper", naturals);

const selectOvertaken = `
  SELECT CONCAT('swipe ', LOWER(HEX(id)), ' is newer than the pair ', swiper, ', ', swipee)
  FROM swipes LEFT JOIN swipe_pairs pair USING (swiper, swipee)
  WHERE id > ? AND id <= ? AND (swipe_id IS NULL OR swipes.taken_at > pair.taken_at
    OR (swipes.taken_at = pair.taken_at AND id > swipe_id))`;
const selectForeign = `
  SELECT CONCAT('the pair ', pair.swiper, ', ', pair.swipee, ' differs from its swipe')
  FROM swipe_pairs pair LEFT JOIN swipes ON id = swipe_id
  WHERE pair.swiper > ? AND pair.swiper <= ? AND (id IS NULL OR swipes.swiper <> pair.swiper
    OR swipes.swipee <> pair.swipee OR swipes.liked <> pair.liked OR swipes.taken_at <> pair.taken_at)`;

/** The sums of what rank() adds for each change, and a check that each pair equals the newest of its swipes. */
export const recount: Recount = {
  ids: [ids],
  boards: [{ rows: [pairs, rangesOfIds("NULL, NULL, 0, producer, sequence", "swipes")] }],
  contradictions: [
    { ...ids, select: selectOvertaken },
    { ...pairs, select: selectForeign },
  ],
};

/** Whether the pair's newest swipe was a like before this one (undefined: there was none) and after it. Both are equal
 * for a swipe that arrives after a newer one. */
export interface SwipeChange extends Change<SwipeEvent> {
  readonly before: boolean | undefined;
  readonly after: boolean;
}

/** The fields that decide which of two swipes of a pair is newer. */
export type Taken = Pick<SwipeEvent, "at" | "id" | "liked">;

/** The newer swipe is accepted later, by the gateway's clock in ms; within one ms, it has the greater id. Ids of one
 * gateway increase, so its order is kept. */
function isNewer(one: Pick<Taken, "at" | "id">, other: Pick<Taken, "at" | "id">): boolean {
  return one.at === other.at ? one.id > other.id : one.at > other.at;
}

/** In the order of their time. `stored`: the pair's newest swipe so far. */
export function changesOf(
  swipes: readonly Change<SwipeEvent>[],
  stored: Taken | undefined,
): { readonly changes: readonly SwipeChange[]; readonly newest: Taken | undefined } {
  let newest = stored;
  const changes = swipes
    .toSorted((a, b) => (isNewer(a.event, b.event) ? 1 : -1))
    .map(({ event, batch }): SwipeChange => {
      const before = newest?.liked;
      if (newest === undefined || isNewer(event, newest)) newest = event;
      return { event, batch, before, after: newest.liked };
    });
  return { changes, newest };
}
