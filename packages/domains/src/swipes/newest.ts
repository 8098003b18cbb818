import type { Change } from "@tally/pipeline";
import type { SwipeEvent } from "./event.ts";

/**
 * A stored swipe, and what it did to its pair: whether the pair's newest swipe was a like before it, and is one after it; undefined while
 * there was none. Both are the same for a swipe that came later than a newer one.
 */
export interface SwipeChange extends Change<SwipeEvent> {
  readonly before: boolean | undefined;
  readonly after: boolean;
}

/** What decides which of two swipes of a pair counts. */
export type Taken = Pick<SwipeEvent, "at" | "id" | "liked">;

/**
 * The newest swipe of a pair is the one that a gateway took last, by its clock in ms; of the same ms the one with the greater id. Ids of one
 * gateway grow, so its own order is kept within a ms too.
 */
function isNewer(one: Pick<Taken, "at" | "id">, other: Pick<Taken, "at" | "id">): boolean {
  return one.at === other.at ? one.id > other.id : one.at > other.at;
}

/** What new swipes of one pair do, one after the other as they were taken, beside the one that was its newest so far. */
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
