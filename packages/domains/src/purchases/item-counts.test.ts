import { expect, test } from "vitest";
import { ItemCounts } from "./item-counts.ts";

test("the items with the highest sums, equal ones by the smaller id; a sum of 0 is on no ranking", async () => {
  const sold = new ItemCounts();
  await sold.add(["[[9,2],[10,5],[7,1]]", "[]", "[[7,-1],[8,-3],[11,2,59900,0]]"]);
  const all = [[10, 5], [9, 2], [11, 2], [8, -3]].map(([itemID, quantity]) => ({ itemID, quantity })); // oxfmt-ignore
  for (const limit of [2, 4, 100]) expect(sold.top(limit)).toEqual(all.slice(0, limit));
  for (const text of ["{}", "[1]", '[["1",1]]']) await expect(sold.add([text])).rejects.toThrow(TypeError);
});
