import { expect, test } from "vitest";
import { businessDate, localMinute, zones, type Zone } from "./chain.ts";
import { planDay, type DayOptions, type Sale } from "./plan-day.ts";

const options: DayOptions = { seed: 7, date: 20_261_120, storesPerZone: 4, purchases: 20_000 };
const plan = planDay(options);
const sales = [...plan.sales()];
const salesOf = (zone: Zone): readonly Sale[] => sales.filter(({ store }) => store.zone === zone);
const keyOf = ({ purchase }: Sale): string => purchase.idempotencyKey;

test("the same options give the same purchases with the same keys; another seed, date or size gives others", () => {
  expect([...planDay(options).sales()]).toEqual(sales);
  for (const change of [{ seed: 8 }, { date: 20_261_121 }, { purchases: 20_001 }, { storesPerZone: 5 }]) {
    const keys = new Set(Array.from(planDay({ ...options, ...change }).sales(), keyOf));
    expect(sales.filter((sale) => keys.has(keyOf(sale)))).toEqual([]);
  }
  const items = (seed: number) => Array.from(planDay({ ...options, seed }).sales(), ({ purchase }) => purchase.items);
  expect(items(8)).not.toEqual(items(7));
});

test("a day has exactly the purchases that were asked for, in order of time, each with its own key", () => {
  for (const purchases of [1, 7, 20_000])
    expect([...planDay({ ...options, purchases }).sales()]).toHaveLength(purchases);
  expect(new Set(sales.map(keyOf)).size).toBe(sales.length);
  const times = sales.map(({ atMs }) => atMs);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times[0]).toBeGreaterThanOrEqual(plan.startsAtMs);
  expect(times.at(-1)).toBeLessThan(plan.endsAtMs);
});

test.each(zones)("the stores of the $name sell most in their morning and evening, by their local date", (zone) => {
  const own = salesOf(zone);
  const between = (from: number, to: number): number =>
    own.filter(({ atMs }) => localMinute(atMs, zone) >= from * 60 && localMinute(atMs, zone) < to * 60).length /
    (to - from);
  const [night, morning, afternoon, evening] = [between(0, 6), between(9, 11), between(13, 14), between(17, 19)];
  expect(morning).toBeGreaterThan(2 * afternoon);
  expect(evening).toBeGreaterThan(2 * afternoon);
  expect(afternoon).toBeGreaterThan(3 * night);
  for (const { atMs, purchase } of own) expect(purchase.date).toBe(String(businessDate(atMs, zone)));
  expect(new Set(own.map(({ purchase }) => purchase.date))).toEqual(new Set(["20261120", "20261121"]));
});

test("a few items sell most, and zones have different best items", () => {
  const best = zones.map((zone) => {
    const sold = new Map<unknown, number>();
    for (const { purchase } of salesOf(zone))
      for (const { ItemID, numberOfItems } of purchase.items)
        sold.set(ItemID, (sold.get(ItemID) ?? 0) + Number(numberOfItems));
    const ranked = [...sold].toSorted(([, a], [, b]) => b - a);
    const sum = (few: typeof ranked) => few.reduce((total, [, quantity]) => total + quantity, 0);
    expect(sum(ranked.slice(0, 10)) / sum(ranked)).toBeGreaterThan(0.25);
    expect(ranked.length).toBeGreaterThan(1000);
    return ranked.slice(0, 4).map(([item]) => Number(item));
  });
  expect(new Set(best.map((items) => items.toSorted((a, b) => a - b).join(" "))).size).toBe(3);
});

test("a store is offline in the evening of its zone; another seed has another store or time", () => {
  const outages = Array.from({ length: 30 }, (_, seed) => planDay({ ...options, seed }).outage);
  for (const { store, fromMs, untilMs } of outages) {
    expect(localMinute(fromMs, store.zone)).toBeGreaterThanOrEqual(17 * 60);
    expect(untilMs).toBeLessThan(plan.endsAtMs);
  }
  expect(new Set(outages.map(({ store, fromMs }) => `${store.id} ${fromMs}`)).size).toBeGreaterThan(25);
});
