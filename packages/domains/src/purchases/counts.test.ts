import { expect, test } from "vitest";
import { Counts, withRanks, type CountsRow } from "./counts.ts";

const rows = (...texts: readonly string[]) => texts.map((counts): CountsRow => ({ id: null, counts, isFolded: 0 }));

test("the highest sums, equal ones by the smaller id; a sum of 0 is on no ranking", async () => {
  const texts = ["[[9,2],[10,5],[7,1]]", "[]", "[[7,-1],[8,-3],[11,2,59900,0]]"];
  const sold = await new Counts().add(rows(...texts), "quantity");
  const all = [[10, 5], [9, 2], [11, 2], [8, -3]].map(([id = 0, count = 0]) => ({ id, count })); // oxfmt-ignore
  for (const limit of [2, 4, 100]) expect(sold.top(limit)).toEqual(all.slice(0, limit));
  const ranked = withRanks(all, 1);
  expect([10, 11, 8, 7].map((id) => sold.around(id, 1))).toEqual([
    ranked.slice(0, 2),
    ranked.slice(1),
    ranked.slice(2),
    undefined,
  ]);
  for (const text of ["{}", "[1]", '[["1",1]]'])
    await expect(new Counts().add(rows(text), "quantity")).rejects.toThrow(TypeError);
});
