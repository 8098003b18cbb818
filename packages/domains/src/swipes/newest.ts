import type { Change } from "@tally/contract";
import type { SwipeEvent } from "./event.ts";

/**
 * A stored swipe and its effect on its pair: whether the pair's newest swipe was a like before it (undefined: there was
 * none) and after it. Both are equal for a swipe that arrives after a newer one.
 */
export interface SwipeChange extends Change<SwipeEvent> {
  readonly before: boolean | undefined;
  readonly after: boolean;
}

/** The fields that decide which of two swipes of a pair is newer. */
export type Taken = Pick<SwipeEvent, "at" | "id" | "liked">;

/**
 * The newer swipe is the one that a gateway accepted later, by its clock in ms; within one ms, the one with the greater
 * id. Ids of one gateway increase, so its order is kept.
 */
function isNewer(one: Pick<Taken, "at" | "id">, other: Pick<Taken, "at" | "id">): boolean {
  return one.at === other.at ? one.id > other.id : one.at > other.at;
}

/** The effects of new swipes of one pair in the order of their time. `stored`: its newest swipe so far. */
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
