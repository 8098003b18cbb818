import { expect, test } from "vitest";
import { boardsOf, changeOf } from "../boards-of.fixture.ts";
import type { PurchaseEvent } from "./event.ts";
import { rank } from "./rank.ts";

const sale = (storeId: number, lines: PurchaseEvent["lines"]) =>
  changeOf({ id: "", storeId, customerId: 1, date: 20261120, lines });

test("counts each line for its store and for its item, summed over the batch", () => {
  const changes = [
    sale(1, [
      [10, 2],
      [11, 1],
      [10, 3],
    ]),
    sale(2, [[10, 4]]),
    sale(1, [[10, 1]]),
  ];
  expect(boardsOf(rank, changes)).toEqual({
    "store:1": { "10": 6, "11": 1 },
    "store:2": { "10": 4 },
    "item:10": { "1": 6, "2": 4 },
    "item:11": { "1": 1 },
  });
});
