import { fieldIn, utcDayOf, type Sources } from "@tally/contract";
import { expect, onTestFinished, test, vi } from "vitest";
import { salesOfChain } from "./chain-sales.ts";
import { samplesOfDay, slotOf } from "./sales-samples.ts";
import { storeRegions } from "./stores.ts";

const rows = [2, 1].map((id) => ({ id, validFrom: 10000101, value: id === 1 ? "West" : "East" }));
const kept: unknown[] = [];
// A week ago nothing was sold before the last moment of the day.
const lastSample = { slot: slotOf(8.64e15), quantity: 1, net: null, receipts: null };
const rowsOf = (what: unknown) => (what === storeRegions.onDay ? rows : what === samplesOfDay ? [lastSample] : []);
const readOf =
  (rowsOfRead: (what: unknown) => readonly object[]): Sources["read"] =>
  async (what, key) =>
    what.ofRows(rowsOfRead(what), key);
const read = readOf(rowsOf);
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
const salesOf = (date: number, others: Partial<Sources> = {}) =>
  salesOfChain.respond({ params: {}, query: { date: String(date) } }, { ...sources, ...others });

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

test("discounts of an hour are right after a sample of an earlier release, which has no gross sales", async () => {
  const earlier = { slot: slotOf(Date.now()) - 8, quantity: 100, net: 1_000, gross: null, receipts: 1, returned: null };
  const newer = {
    slot: earlier.slot + 4,
    quantity: 110,
    net: 1_100,
    gross: 1_105,
    receipts: 2,
    returned: 0,
    discounts: 5,
  };
  const readThem = readOf((what) => (what === samplesOfDay ? [earlier, newer] : []));
  const hours = fieldIn(await salesOf(utcDayOf(Date.now()), { read: readThem }), "hours");
  const hour = { netSales: "0.0100", discounts: "0.0005", returns: "0.0000" };
  expect(hours).toContainEqual(expect.objectContaining(hour));
});

// 56 hours: from UTC+14 to the closing hour of UTC-12. The last sample is later.
const firstSlot = slotOf(Date.UTC(2025, 9, 19, 10));
const samples = [0, 55, 60].map((hour, at) => ({ slot: firstSlot + 4 * hour, quantity: at + 1, net: null }));

test.each([
  ["UTC", 56, { from: "2025-10-21T17:00:00Z", hour: "17", offset: "+00:00", quantity: 9 }],
  ["Asia/Kolkata", 57, { from: "2025-10-21T17:30:00Z", hour: "23", offset: "+05:30", quantity: 8 }],
])("a day has the hours of all zones in %s, and what is counted later is in its last one", async (zone, many, last) => {
  vi.spyOn(Date, "now").mockReturnValue(Date.UTC(2025, 9, 20, 12));
  onTestFinished(() => void vi.restoreAllMocks());
  const clocks = [{ zone, closingHour: 0, stores: 1 }];
  const body = await salesOf(20251020, {
    read: readOf((what) => (what === samplesOfDay ? samples : [])),
    readNewest: readOf(() => clocks),
  });
  const hours = Object.values(Object(fieldIn(body, "hours")));
  expect([fieldIn(body, "zone"), hours.length, hours.at(-1)]).toEqual([zone, many, expect.objectContaining(last)]);
});
