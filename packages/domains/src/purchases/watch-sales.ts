import { setImmediate } from "node:timers/promises";
import { utcDayOf, type SqlReader, type WatchSources } from "@tally/contract";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { readRules, ruleNames, type AlertRules, type RuleName } from "./alert-rules.ts";
import { alertsRead, noteAlerts, tellAlerts, type Alert, type FoundAlerts } from "./alerts.ts";
import { businessDayOf, dateAfter, weekBefore, type StoreClock } from "./business-day.ts";
import { commonClock, selectClocks } from "./registry.ts";
import { itemsMax, partsOf, sample, slotOf, storesAt, type Stores } from "./sales-samples.ts";
import { countedLines, listOf } from "./store.ts";

type Found = Omit<Alert, "sinceMs" | "rule">;

// Rankers look each minute; one of them does the work.
const recentMs = 45_000;
// Alerts stay on while Redis is away, not for ever when it keeps no days.
const keptMs = 3_600_000;

/** Takes a sample of the sales, looks for what the rules say, and publishes what is new. */
export async function watchSales(sources: WatchSources): Promise<Readonly<Record<string, number>>> {
  const alerts = await newestAlerts(sources);
  await tellAlerts(sources);
  return Object.fromEntries(ruleNames.map((rule) => [rule, alerts.filter((one) => one.rule === rule).length]));
}

async function newestAlerts(sources: WatchSources): Promise<readonly Alert[]> {
  const { rows, nowMs } = sources;
  const before = alertsRead.ofRows(await rows.query(alertsRead.select), []);
  const isRecent = before !== undefined && Math.abs(nowMs - before.foundAt) < recentMs;
  if (isRecent) return before.alerts;
  const clock = commonClock(await rows.query(selectClocks), nowMs);
  if (await sample(sources, clock, before?.foundAt))
    return noteAlerts(sources, before, await findAll(sources, clock, before));
  if (before === undefined || nowMs - before.foundAt < keptMs) return before?.alerts ?? [];
  return noteAlerts(sources, before, [], before.foundAt);
}

interface Look {
  readonly rows: SqlReader;
  readonly nowMs: number;
  readonly weekAgoMs: number;
  /** The business day of most registered stores. */
  readonly today: number;
  /** The newest sample of each day that is kept. */
  readonly newest: ReadonlyMap<number, Stores>;
}

async function findAll({ rows, nowMs }: WatchSources, clock: StoreClock, before: FoundAlerts | undefined) {
  const rules = await readRules(rows);
  const days = await rows.query<{ day: number }>("SELECT DISTINCT day FROM sales_samples");
  const newest = new Map<number, Stores>();
  for (const { day } of days) newest.set(day, (await storesAt(rows, day))?.stores ?? new Map());
  const look = { rows, nowMs, weekAgoMs: weekBefore(clock, nowMs), today: businessDayOf(clock, nowMs), newest };
  const lookedAt = before?.foundAt ?? 0;
  const keptIf = (isKept: boolean, of: RuleName) =>
    isKept ? before?.alerts.filter(({ rule }) => rule === of) : undefined;
  const finders: Readonly<Record<RuleName, () => Promise<readonly Found[]>>> = {
    // After a pause, sales may not be counted yet.
    silent: async () => keptIf(nowMs - lookedAt > pauseMs, "silent") ?? silentStores(look, rules.silent),
    dates: () => otherDates(look, rules.dates),
    // Reads the refunds of today: once in a quarter of an hour.
    returns: async () => keptIf(slotOf(lookedAt) === slotOf(nowMs), "returns") ?? manyReturns(look, rules.returns),
    surge: () => surges(look, rules.surge),
  };
  const found: (Found & { readonly rule: RuleName })[] = [];
  for (const rule of ruleNames)
    if (rules[rule].isOn) for (const one of await finders[rule]()) found.push({ ...one, rule });
  return found;
}

// A pause: 20 minutes without a look.
const [minuteMs, pauseMs] = [60_000, 1_200_000];
const timeOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** Compares the time since its last sale, or as much of it as eight times the minutes, with the same a week ago. */
async function silentStores({ rows, nowMs, weekAgoMs, newest }: Look, { minutes, minimum }: AlertRules["silent"]) {
  const last = new Map<number, number>();
  for (const stores of newest.values())
    for (const [id, { grewAtMs }] of stores) last.set(id, Math.max(last.get(id) ?? 0, grewAtMs));
  // The sample of that quarter has later sales.
  const until = await soldUntil(rows, weekAgoMs, weekAgoMs - 15 * minuteMs);
  const found = new Map<number, Found>();
  for (const spans of [1, 2, 4, 8]) {
    const spanMs = spans * minutes * minuteMs;
    const from = await soldUntil(rows, weekAgoMs, weekAgoMs - spanMs);
    for (const [storeID, sold] of until) {
      const [lastMs, usual] = [last.get(storeID) ?? 0, sold - (from.get(storeID) ?? 0)];
      if (nowMs - lastMs < spanMs || usual < minimum) continue;
      const text = `no sale ${lastMs === 0 ? "for days" : `since ${timeOf(lastMs)}`}; ${usual} units in the same time a week ago`;
      found.set(storeID, { storeID, text, lastMs, usual });
    }
  }
  return [...found.values()].toSorted((a, b) => (b.usual ?? 0) - (a.usual ?? 0));
}

/** What each store had sold at a time, of all days that some store had around `aroundMs`. */
async function soldUntil(rows: SqlReader, aroundMs: number, atMs: number): Promise<ReadonlyMap<number, number>> {
  const sold = new Map<number, number>();
  for (const days of [-2, -1, 0, 1]) {
    const at = await storesAt(rows, dateAfter(utcDayOf(aroundMs), days), slotOf(atMs));
    for (const [id, { quantity }] of at?.stores ?? []) sold.set(id, (sold.get(id) ?? 0) + quantity);
  }
  return sold;
}

const dashed = (day: number): string => String(day).replace(/(..)(..)$/, "-$1-$2");

type RegisteredClock = StoreClock & { readonly storeId: number };
const selectStoreClocks = "SELECT store_id AS storeId, zone, closing_hour AS closingHour FROM stores";

/** Stores whose sales are of no business day that they have had within the minutes before or after now. */
async function otherDates({ rows, nowMs, newest }: Look, { minutes }: AlertRules["dates"]): Promise<readonly Found[]> {
  const byStore = new Map<number, number[]>();
  for (const [day, stores] of newest)
    for (const [id, { grewAtMs }] of stores)
      if (grewAtMs >= nowMs - minutes * minuteMs) byStore.getOrInsertComputed(id, () => []).push(day);
  const clocks = new Map((await rows.query<RegisteredClock>(selectStoreClocks)).map((one) => [one.storeId, one]));
  const own = new Map<string, readonly number[]>();
  const today = utcDayOf(nowMs);
  const anyZone = [today, dateAfter(today, -1), dateAfter(today, 1)];
  const ownOf = (clock: StoreClock | undefined): readonly number[] => {
    // A store that is not registered may be in any zone.
    if (clock === undefined) return anyZone;
    const daysOf = () => [0, -1, 1].map((part) => businessDayOf(clock, nowMs + part * minutes * minuteMs));
    return own.getOrInsertComputed(`${clock.zone} ${clock.closingHour}`, daysOf);
  };
  return Array.from(byStore, ([storeID, days]): Found | undefined => {
    const expected = ownOf(clocks.get(storeID));
    if (days.some((day) => expected.includes(day))) return undefined;
    return {
      storeID,
      text: `its sales are dated ${days.map(dashed).join(", ")}, its business day is ${dashed(expected[0] ?? 0)}`,
    };
  }).filter((one) => one !== undefined);
}

const selectRefunds = `
  SELECT store_id AS storeId, CAST(items AS CHAR) AS items FROM purchase_corrections FORCE INDEX (store_day)
  WHERE store_id IN (?) AND counted_on = ? AND kind = 'refund'`;

async function manyReturns({ rows, today, newest }: Look, { above, minimum }: AlertRules["returns"]) {
  const stores = newest.get(today) ?? new Map<never, never>();
  const returned = new Map<number, number>();
  for (const some of partsOf([...stores.keys()])) {
    for (const { storeId, items } of await rows.query<{ storeId: number; items: string }>(selectRefunds, [some, today]))
      for (const [, quantity = 0] of countedLines(items))
        returned.set(storeId, (returned.get(storeId) ?? 0) - quantity);
    await setImmediate();
  }
  return Array.from(returned, ([storeID, units]): Found | undefined => {
    const sold = (stores.get(storeID)?.quantity ?? 0) + units;
    if (units < minimum || units <= above * sold) return undefined;
    return { storeID, text: `${units} of ${sold} units that it sold today were returned` };
  }).filter((one) => one !== undefined);
}

const isItems = Compile(Type.Array(Type.Tuple([Type.Integer(), Type.Integer()])));
const selectItems = "SELECT slot, items FROM sales_samples WHERE day = ? AND slot <= ? ORDER BY slot DESC LIMIT 1";

/** Usual is what was sold in the same time a week ago: after a pause of the sales or of the looks it is longer than the
 * minutes. Without a sample of then nothing is unusual. */
async function surges({ rows, nowMs, weekAgoMs, today }: Look, { minutes, minimum, above }: AlertRules["surge"]) {
  const itemsAt = async (day: number, atSlot: number) => {
    const [row] = await rows.query<{ slot: number; items: string }>(selectItems, [day, atSlot]);
    return row && { slot: row.slot, items: new Map(listOf(isItems, row.items)) };
  };
  const [day, slotThen] = [dateAfter(today, -7), slotOf(weekAgoMs)];
  const [now, then] = [await itemsAt(today, slotOf(nowMs)), await itemsAt(day, slotThen)];
  if (now === undefined || then === undefined) return [];
  const before = await itemsAt(today, slotOf(nowMs - minutes * minuteMs));
  const beforeThen = before && (await itemsAt(day, slotThen - slotOf(nowMs) + before.slot));
  const sinceEnd = before && Math.floor(nowMs / minuteMs) - 15 * (before.slot + 1);
  const time = sinceEnd === undefined ? "today" : `in ${Math.max(minutes, sinceEnd)} minutes`;
  // An item below the 100 best had sold at most as much as the last of them.
  const atMost = (at: typeof before, itemID: number): number =>
    at === undefined ? 0 : (at.items.get(itemID) ?? (at.items.size < itemsMax ? 0 : Math.min(...at.items.values())));
  return Array.from(now.items, ([itemID, all]): Found | undefined => {
    const units = all - atMost(before, itemID);
    const usual = atMost(then, itemID) - (beforeThen?.items.get(itemID) ?? 0);
    if (units < minimum || units <= above * usual) return undefined;
    return { itemID, text: `${units} units ${time}; usual are ${usual}` };
  }).filter((one) => one !== undefined);
}
