import { expect, test } from "vitest";
import { zones, type Zone } from "./chain.ts";
import { businessDate, localMinute } from "./local-time.ts";
import { nextDate, planDay, type DayOptions, type Sale } from "./plan-day.ts";
import { purchaseOf, requestOf } from "./requests.ts";
import { reachOf } from "./store-outage.ts";

const options: DayOptions = { seed: 7, date: 20_261_120, storesPerZone: 4, purchases: 20_000 };
const plan = planDay(options);
const sales = [...plan.sales()];
const salesOf = (zone: Zone): readonly Sale[] => sales.filter(({ store }) => store.zone === zone);

test("the same options give the same purchases with the same keys; another seed, date or size gives others", () => {
  expect([...plan.sales()]).toEqual(sales);
  expect([...planDay(options).sales()]).toEqual(sales);
  for (const change of [{ seed: 8 }, { date: 20_261_121 }, { purchases: 20_001 }, { storesPerZone: 5 }]) {
    const keys = new Set(Array.from(planDay({ ...options, ...change }).sales(), ({ key }) => key));
    expect(sales.filter(({ key }) => keys.has(key))).toEqual([]);
  }
  const items = (seed: number) => Array.from(planDay({ ...options, seed }).sales(), (sale) => sale.items);
  expect(items(8)).not.toEqual(items(7));
});

test("a day has exactly the purchases that were asked for, in order of time, each with its own key", () => {
  for (const purchases of [1, 7, 20_000])
    expect([...planDay({ ...options, purchases }).sales()]).toHaveLength(purchases);
  expect(new Set(sales.map(({ key }) => key)).size).toBe(sales.length);
  const times = sales.map(({ atMs }) => atMs);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times[0]).toBeGreaterThanOrEqual(plan.startsAtMs);
  expect(times.at(-1)).toBeLessThan(plan.endsAtMs);
});

test.each(zones)(
  "the stores of the $name sell most in the morning and evening of their zone, and least at night",
  (zone) => {
    const own = salesOf(zone);
    const between = (from: number, to: number): number =>
      own.filter(({ atMs }) => localMinute(atMs, zone) >= from * 60 && localMinute(atMs, zone) < to * 60).length /
      (to - from);
    const [night, morning, afternoon, evening] = [between(0, 6), between(9, 11), between(13, 14), between(17, 19)];
    expect(morning).toBeGreaterThan(2 * afternoon);
    expect(evening).toBeGreaterThan(2 * afternoon);
    expect(afternoon).toBeGreaterThan(3 * night);
    expect(own.length).toBeGreaterThan(6000);
  },
);

test("the business date is the store's local date: midnight comes three hours later in the west", () => {
  for (const { atMs, date, store } of sales) expect(date).toBe(businessDate(atMs, store.zone));
  for (const zone of zones)
    expect(new Set(salesOf(zone).map(({ date }) => date))).toEqual(new Set([20_261_120, 20_261_121]));
  const [east, , west] = zones;
  const atMs = Date.UTC(2026, 10, 21, 6);
  expect([businessDate(atMs, east), businessDate(atMs, west)]).toEqual([20_261_121, 20_261_120]);
  expect([nextDate(20_261_130), nextDate(20_261_231), nextDate(20_280_228)]).toEqual([
    20_261_201, 20_270_101, 20_280_229,
  ]);
});

test("a few items sell most, and zones have different best items", () => {
  const best = zones.map((zone) => {
    const sold = new Map<number, number>();
    for (const { items } of salesOf(zone))
      for (const [item, quantity] of items) sold.set(item, (sold.get(item) ?? 0) + quantity);
    const ranked = [...sold].toSorted(([, a], [, b]) => b - a);
    const all = ranked.reduce((sum, [, quantity]) => sum + quantity, 0);
    const ten = ranked.slice(0, 10).reduce((sum, [, quantity]) => sum + quantity, 0);
    expect(ten / all).toBeGreaterThan(0.25);
    expect(ranked.length).toBeGreaterThan(1000);
    return ranked.slice(0, 4).map(([item]) => item);
  });
  expect(new Set(best.map((items) => items.toSorted((a, b) => a - b).join(" "))).size).toBe(3);
});

test("the offline store keeps purchases of its evening, and catches up with the same purchases and keys", () => {
  const { store, fromMs, untilMs } = plan.outage;
  const reaches = sales.map((sale) => ({ sale, reach: reachOf(plan.outage, sale) }));
  const late = reaches.filter(({ reach }) => reach !== "sent").map(({ sale }) => sale);
  expect(new Set(late.map((sale) => sale.store.id))).toEqual(new Set([store.id]));
  for (const reach of ["unsure", "kept"])
    expect(reaches.filter((one) => one.reach === reach).length).toBeGreaterThan(5);
  expect(localMinute(fromMs, store.zone)).toBeGreaterThanOrEqual(17 * 60);
  expect(untilMs).toBeLessThan(plan.endsAtMs);
  const ofBulk = late.map(purchaseOf);
  const ofSingle = late.map((sale) => {
    const { path, body } = requestOf(sale);
    const [, storeID, custID, date] = /^\/purchase\/(\d+)\/customer\/(\d+)\/date\/(\d{8})$/.exec(path) ?? [];
    const { items } = JSON.parse(String(body));
    return { storeID: Number(storeID), custID: Number(custID), date, items, idempotencyKey: sale.key };
  });
  expect(ofBulk).toEqual(ofSingle);
});

test("another seed has another store or another time offline", () => {
  const outages = Array.from({ length: 30 }, (_, seed) => planDay({ ...options, seed }).outage);
  expect(new Set(outages.map(({ store }) => store.id)).size).toBeGreaterThan(5);
  expect(new Set(outages.map(({ fromMs }) => fromMs)).size).toBeGreaterThan(10);
});
