import { Moves } from "@tally/pipeline";
import { expect, test } from "vitest";
import type { PurchaseEvent } from "./event.ts";
import { rank } from "./rank.ts";

const batch = { producer: "0123456789abcdef", sequence: 0 };
const sale = (storeId: number, lines: PurchaseEvent["lines"]) => ({
  batch,
  event: { id: "", storeId, customerId: 1, date: 20261120, lines },
});

test("each line counts in its store and for its item, summed over the batch", () => {
  const moves = new Moves();
  rank(
    [
      sale(1, [
        [10, 2],
        [11, 1],
        [10, 3],
      ]),
      sale(2, [[10, 4]]),
      sale(1, [[10, 1]]),
    ],
    moves,
  );
  const boards = Object.fromEntries(
    [...moves.boards()].map(([board, members]) => [board, Object.fromEntries(members)]),
  );
  expect(boards).toEqual({
    "store:1": { "10": 6, "11": 1 },
    "store:2": { "10": 4 },
    "item:10": { "1": 6, "2": 4 },
    "item:11": { "1": 1 },
  });
});
