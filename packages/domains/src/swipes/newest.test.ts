import { Moves, newEventId } from "@tally/contract";
import { expect, onTestFinished, test, vi } from "vitest";
import type { SwipeEvent } from "./event.ts";
import { changesOf, type Taken, rank } from "./rank.ts";
import { routes } from "./routes.ts";

const batch = { producer: "0123456789abcdef", sequence: 0 };
const swipe = (at: number, id: string, liked: boolean): SwipeEvent => {
  return { id, swiper: 1, swipee: 2, liked, at, comment: "" };
};

/** Stores swipes in these portions. */
function stored(portions: readonly (readonly SwipeEvent[])[]): { likes: number; newest: Taken | undefined } {
  let newest: Taken | undefined;
  let likes = 0;
  for (const portion of portions) {
    const swipes = portion.map((event) => ({ event, batch }));
    const done = changesOf(swipes, newest);
    expect(done.changes).toHaveLength(portion.length);
    newest = done.newest;
    const moves = new Moves();
    rank(done.changes, moves);
    for (const [, members] of moves.boards()) likes += members.get("2") ?? 0;
  }
  return { likes, newest };
}

test("the newest swipe of a pair wins and sets the likes, in any order and any portions", () => {
  const all = [
    swipe(1, "b", true),
    swipe(2, "a", false),
    swipe(2, "c", true),
    swipe(2, "b", false),
    swipe(3, "a", false),
  ];
  const last = (swipes: readonly SwipeEvent[]) =>
    swipes.toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)).at(-1);
  for (let many = 1; many <= all.length; many++) {
    const some = all.slice(0, many);
    for (const order of permutations(some)) {
      // Every way to cut the order into portions.
      for (let cuts = 0; cuts < 2 ** (many - 1); cuts++) {
        const portions: SwipeEvent[][] = [[]];
        for (const [index, one] of order.entries()) {
          portions.at(-1)?.push(one);
          if ((cuts & (1 << index)) !== 0 && index < many - 1) portions.push([]);
        }
        expect(stored(portions)).toEqual({ likes: last(some)?.liked === true ? 1 : 0, newest: last(some) });
      }
    }
  }
});

test("a later swipe is newer, also after the clock of its gateway was set back", () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const swiped = (leftorright: string) =>
    routes.map(({ toEvent }) => toEvent(newEventId(), { leftorright }, { swiper: 1, swipee: 2 }));
  const first = swiped("right");
  vi.setSystemTime(Date.now() - 3_600_000);
  const later = swiped("left");
  expect(stored([first, later])).toEqual({ likes: 0, newest: later[0] });
});

function permutations<T>(list: readonly T[]): readonly (readonly T[])[] {
  if (list.length < 2) return [list];
  return list.flatMap((one, index) => permutations(list.toSpliced(index, 1)).map((rest) => [one].concat(rest)));
}
