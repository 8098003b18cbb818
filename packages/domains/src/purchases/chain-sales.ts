import { firstLiveDay, NotFound, queryRoute, type Sources } from "@tally/contract";
import { Type } from "typebox";
import { AsOf, closed } from "../values.ts";
import { businessDayOf, dateAfter, endOf, hourOfDay, timeAt, weekBefore, type StoreClock } from "./business-day.ts";
import { ruleNames } from "./alert-rules.ts";
import { alertsRead } from "./alerts.ts";
import { isUpToTomorrowSomewhere } from "./calendar-date.ts";
import { kept } from "./chain-counts.ts";
import { shownCurrency } from "./currency.ts";
import { items } from "./items.ts";
import { moneyText } from "./money.ts";
import { clockOfChain, dayOf, DayText } from "./registry.ts";
import { difference, lastTwo, noSales, samplesOfDay, soldAt, soldNow, storesAt, withKnown } from "./sales-samples.ts";
import { slotOf, sumOf, type Sample, type Sold } from "./sales-samples.ts";
import { storeRegions, stores } from "./stores.ts";
import { ifAvailable } from "./window-counts.ts";

const hourMs = 3_600_000;
const hourSlots = 4;
const slotMs = hourMs / hourSlots;
// A day has up to 56 hours: it begins in UTC+14, and ends here. What is counted later is in the last one.
const lastClock = { zone: "Etc/GMT+12", closingHour: 6 };

const shown = ({ quantity, net, gross = null, receipts = null, returned = null, discounts = null }: Sold) => ({
  quantity,
  ...(gross !== null && { grossSales: moneyText(gross) }),
  ...(discounts !== null && { discounts: moneyText(discounts) }),
  ...(returned !== null && gross !== null && { returns: moneyText(returned) }),
  ...(net !== null && { netSales: moneyText(net) }),
  ...(receipts !== null && { receipts }),
});

/** The sums of a day by store: of the boards, else of the last sample. */
async function soldOf({ boards, rows }: Sources, date: number) {
  const live = date < firstLiveDay(Date.now()) ? undefined : await ifAvailable(soldNow(boards, date));
  if (live !== undefined) return live;
  const last = await storesAt(rows, date);
  const grewAtMs = [...(last?.stores.values() ?? [])].reduce((newest, one) => Math.max(newest, one.grewAtMs), 0);
  return last && { stores: last.stores, none: noSales, asOf: grewAtMs || undefined };
}

/** What was counted in each hour, which begin `shift` slots after those of UTC: differences of sums. `end`: the sum now. */
function hoursOf(date: number, shift: number, samples: readonly Sample[], end?: Sold): ReadonlyMap<number, Sold> {
  const slot = Math.max(slotOf(Date.now()), samples.at(-1)?.slot ?? 0);
  const all = end === undefined ? samples : [...samples, { ...end, slot }];
  const hours = new Map<number, Sold>();
  const hourOf = (at: number): number => Math.floor((at - shift) / hourSlots);
  const hourMax = hourOf(endOf(lastClock, date) / slotMs - 1);
  let before = noSales;
  for (const one of all) {
    const hour = Math.min(hourOf(one.slot), hourMax);
    hours.set(hour, sumOf([hours.get(hour) ?? noSales, difference(one, before)]));
    before = withKnown(one, before);
  }
  return hours;
}

type Hours = ReadonlyMap<number, Sold>;

/** `week`: in hours. */
function shownHours(clock: StoreClock, shift: number, [now, weekAgo]: readonly [Hours, Hours], week: number) {
  const known = [...now.keys(), ...Array.from(weekAgo.keys(), (hour) => hour + week)];
  const [first, last] = [Math.min(...known), Math.max(...known)];
  return Array.from({ length: known.length === 0 ? 0 : last - first + 1 }, (_, at) => {
    const hour = first + at;
    const fromMs = (hour * hourSlots + shift) * slotMs;
    return {
      from: new Date(fromMs).toISOString().replace(".000", ""),
      ...hourOfDay(timeAt(clock, fromMs)),
      ...shown(now.get(hour) ?? noSales),
      ...(weekAgo.size > 0 && { weekAgo: shown(weekAgo.get(hour - week) ?? noSales) }),
    };
  });
}

type Regions = ReadonlyMap<string, Sold>;

function byRegion(all: ReadonlyMap<number, Sold>, regions: ReadonlyMap<number, string>): Regions {
  const sums = Map.groupBy(all, ([id]) => regions.get(id) ?? "");
  return new Map(
    Array.from(sums, ([region, of]) => [region, sumOf(of.map(([, { quantity, net }]) => ({ quantity, net })))]),
  );
}

/** `before`: of the last samples until a week ago; undefined: that day has none. */
function shownRegions(sold: Regions, before: { slot: number; regions: Regions }[] | undefined, untilMs: number) {
  return [...new Set([...sold.keys(), ...(before?.at(-1)?.regions.keys() ?? [])])]
    .toSorted()
    .map((region) => ({ region, now: sold.get(region) ?? noSales }))
    .toSorted((a, b) => (b.now.net ?? 0) - (a.now.net ?? 0) || b.now.quantity - a.now.quantity)
    .map(({ region, now }) => {
      const then = before && soldAt(before, untilMs, ({ regions }) => regions.get(region) ?? noSales);
      return Object.assign(region === "" ? {} : { region }, shown(now), then && { weekAgo: shown(then) });
    });
}

const Optional = Type.Optional(Type.String());
const Amounts = {
  quantity: Type.Integer(),
  grossSales: Optional,
  discounts: Optional,
  returns: Optional,
  netSales: Optional,
  receipts: Type.Optional(Type.Integer()),
};

const listMax = 200;
const isoOf = (ms: number): string => new Date(ms).toISOString();

/** What the newest look has found, with names: at most 200 of each rule. */
async function shownAlerts(sources: Sources, regions: ReadonlyMap<number, string>) {
  const { foundAt, alerts: all = [] } = (await kept(sources, alertsRead, [])) ?? {};
  const alerts = ruleNames.flatMap((rule) => all.filter((one) => one.rule === rule).slice(0, listMax));
  const idsOf = (id: "storeID" | "itemID") => alerts.map((one) => ({ id: one[id] ?? -1 }));
  const named = [stores.namesOf(sources, idsOf("storeID")), items.namesOf(sources, idsOf("itemID"))] as const;
  const [ofStores, ofItems] = await Promise.all(named);
  return {
    alertsAsOf: foundAt === undefined ? null : isoOf(foundAt),
    alerts: alerts.map(({ sinceMs, lastMs, ...one }, at) => {
      const region = regions.get(one.storeID ?? -1);
      const more = { since: isoOf(sinceMs), ...ofStores[at], ...ofItems[at], ...(region !== undefined && { region }) };
      return Object.assign(one, more, lastMs !== undefined && { lastSaleAt: lastMs === 0 ? null : isoOf(lastMs) });
    }),
  };
}

export const salesOfChain = queryRoute({
  path: "/chain/sales",
  summary: "what all stores have sold on a business day, today by default, beside a week before",
  description:
    "`hours` are of the time of counting, `hour` and `offset` in `zone`, that of most registered stores, and add up to the total; `weekAgo` is what was counted until the same time a week ago. Today is the business day of most registered stores. `alerts` are those of `alertsAsOf`, usually in the last minute, at most 200 of each rule, of a silent store with `lastSaleAt` and the `usual` units; of other days there are none. A day that is no longer live stays as it was counted last. `grossSales`, `discounts`, `returns` and `netSales` need their measures in `BY`. `receipts`, the sales that are not void, and `returns` (and so `discounts`) are those of the last minute, above 500,000 a day of the last quarter of an hour. 404 for a day of which nothing was counted: one longer than 9 days ago, and all without days in `WINDOWS`",
  query: closed({ date: Type.Optional(DayText) }),
  mayMiss: true,
  response: Type.Object({
    date: Type.String(),
    zone: Type.String(),
    asOf: AsOf,
    currency: Optional,
    ...Amounts,
    weekAgo: Type.Optional(Type.Object({ date: Type.String(), ...Amounts, day: Type.Object(Amounts) })),
    hours: Type.Array(
      Type.Object({
        from: Type.String(),
        hour: Type.String(),
        offset: Type.String(),
        ...Amounts,
        weekAgo: Type.Optional(Type.Object(Amounts)),
      }),
    ),
    regions: Type.Array(Type.Object({ region: Optional, ...Amounts, weekAgo: Type.Optional(Type.Object(Amounts)) })),
    alertsAsOf: AsOf,
    alerts: Type.Array(
      Type.Object({
        rule: Type.Enum(ruleNames),
        storeID: Type.Optional(Type.Integer()),
        name: Optional,
        region: Optional,
        itemID: Type.Optional(Type.Integer()),
        since: Type.String(),
        text: Type.String(),
        lastSaleAt: Type.Optional(AsOf),
        usual: Type.Optional(Type.Integer()),
      }),
    ),
  }),
  async respond({ query: { date: text = "today" } }, sources) {
    const nowMs = Date.now();
    const clock = await clockOfChain(sources);
    const date = dayOf(clock, "date", text);
    const before = dateAfter(date, -7);
    const untilMs = weekBefore(clock, nowMs);
    const found = isUpToTomorrowSomewhere(date) ? await soldOf(sources, date) : undefined;
    // Before anything is kept: there are millions of other dates.
    if (found === undefined) throw new NotFound("date", "a day of which sales were counted", text);
    const [samples, samplesBefore, storesBefore, regionsOn, currency] = await Promise.all([
      kept(sources, samplesOfDay, [date]),
      kept(sources, samplesOfDay, [before]),
      kept(sources, lastTwo, [before, slotOf(untilMs)]),
      kept(sources, storeRegions.onDay, []),
      shownCurrency(sources),
    ]);
    const [regionsNow, regionsThen] = [regionsOn(date), regionsOn(before)];
    const week = Math.round((endOf(clock, date) - endOf(clock, before)) / hourMs);
    const total = withKnown(sumOf([found.none, ...found.stores.values()]), samples.at(-1) ?? noSales);
    const dayBefore = samplesBefore.at(-1);
    const ofRegions = storesBefore.map(({ slot, stores: all }) => ({ slot, regions: byRegion(all, regionsThen) }));
    const until = dayBefore && shown(soldAt(samplesBefore, untilMs, (one) => one));
    const shift = Math.floor((endOf(clock, date) % hourMs) / slotMs);
    const hours = hoursOf(date, shift, samples, date < firstLiveDay(nowMs) ? undefined : total);
    const isToday = date === businessDayOf(clock, nowMs);
    return {
      date: String(date),
      zone: clock.zone,
      asOf: found.asOf === undefined ? null : isoOf(found.asOf),
      ...currency,
      ...shown(total),
      ...(dayBefore && until && { weekAgo: { date: String(before), ...until, day: shown(dayBefore) } }),
      hours: shownHours(clock, shift, [hours, hoursOf(before, shift, samplesBefore)], week),
      regions: shownRegions(byRegion(found.stores, regionsNow), dayBefore && ofRegions, untilMs),
      ...(isToday ? await shownAlerts(sources, regionsNow) : { alertsAsOf: null, alerts: [] }),
    };
  },
  examples: {},
});
