import { fieldIn, utcDayOf, type Sources } from "@tally/contract";
import { expect, test } from "vitest";
import { regionsOnDay } from "./chain-counts.ts";
import { salesOfChain } from "./chain-sales.ts";

const rows = [2, 1].map((store) => ({ store, validFrom: 10000101, region: store === 1 ? "West" : "East" }));
const kept: unknown[] = [];
const read: Sources["read"] = async (what, key) => what.ofRows(Object.is(what, regionsOnDay) ? rows : [], key);
const sold = new Map([1, 2].map((store) => [`${store}`, 5]));
const sources: Sources = {
  rows: { query: async () => [] },
  read,
  readNewest: read,
  readKept: (...what) => void kept.push(what),
  stream: () => expect.fail(),
  boards: {
    top: () => expect.fail(),
    count: () => expect.fail(),
    whole: async (boards) => ({ cells: boards.map(() => sold), asOf: 1 }),
  },
  find: () => expect.fail(),
};
const salesOf = (date: number) => salesOfChain.respond({ params: {}, query: { date: String(date) } }, sources);

test("regions that sold as much are in the order of their names", async () => {
  const today = await salesOf(utcDayOf(Date.now()));
  expect(fieldIn(today, "regions")).toMatchObject([{ region: "East" }, { region: "West" }]);
});

test.each([19990101, 99981231])("nothing is kept of a day that cannot have sales: %i", async (date) => {
  kept.length = 0;
  await expect(salesOf(date)).rejects.toThrow("a day of which sales were counted");
  expect(kept).toEqual([]);
});
