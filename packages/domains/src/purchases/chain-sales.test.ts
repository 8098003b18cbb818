import { fieldIn, utcDayOf, type Sources } from "@tally/contract";
import { expect, test } from "vitest";
import { salesOfChain } from "./chain-sales.ts";
import { samplesOfDay, slotOf } from "./sales-samples.ts";
import { storeRegions } from "./stores.ts";

const rows = [2, 1].map((id) => ({ id, validFrom: 10000101, value: id === 1 ? "West" : "East" }));
const kept: unknown[] = [];
// A week ago nothing was sold before the last moment of the day.
const lastSample = { slot: slotOf(8.64e15), quantity: 1, net: null, receipts: null };
const rowsOf = (what: unknown) => (what === storeRegions.onDay ? rows : what === samplesOfDay ? [lastSample] : []);
const read: Sources["read"] = async (what, key) => what.ofRows(rowsOf(what), key);
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

test("regions that sold as much are in the order of their names, beside nothing that was sold until then", async () => {
  const today = await salesOf(utcDayOf(Date.now()));
  const weekAgo = { quantity: 0 };
  expect(fieldIn(today, "weekAgo")).toMatchObject(weekAgo);
  expect(fieldIn(today, "regions")).toMatchObject([
    { region: "East", weekAgo },
    { region: "West", weekAgo },
  ]);
});

test.each([19990101, 99981231])("nothing is kept of a day that cannot have sales: %i", async (date) => {
  kept.length = 0;
  await expect(salesOf(date)).rejects.toThrow("a day of which sales were counted");
  expect(kept).toEqual([]);
});
