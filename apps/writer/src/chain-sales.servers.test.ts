import { decodeRankingMessage, fieldIn, newEventId, utcDayOf } from "@tally/contract";
import type { Event, FeedEvent, WatchSources } from "@tally/contract";
import { awayFromMidnight } from "@tally/local/at-end";
import { rebuild } from "@tally/reconcile";
import { ownRankings } from "@tally/redis/own-rankings";
import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { bodyOf, getLive, openWriter, purchases, purchasesDatabase, sale, sourcesOf } from "./purchases.test-kit.ts";
import { sumsOfRows, type Sum } from "./purchases.test-kit.ts";

const own = purchasesDatabase();
const database = own.connect();
const { rankings, redis, namespace } = ownRankings(2, [purchases]);
const { name } = purchases;
const { writer } = database;
const series = { windows: ["all", "day"], by: ["netSales", "grossSales"] } as const;
const [minuteMs, dayMs] = [60_000, 86_400_000];
await awayFromMidnight();
const openedMs = Date.now();
const days = [utcDayOf(openedMs), utcDayOf(openedMs - dayMs)] as const;

const sources = sourcesOf(writer, rankings);
const { boards } = sources;

/** The sampler of a ranker at a time. */
const watchAt = (nowMs: number, others: Partial<WatchSources> = {}) =>
  purchases.watch?.({ rows: writer, boards, nowMs, transaction: (work) => database.transaction(work), ...others });
const killed = () => Promise.reject(new Error("killed"));

/** The sums of each sample, by day and quarter of an hour, that a sampler must have written. */
const expectedSamples = new Map<string, readonly number[]>();

async function noteExpected(nowMs: number): Promise<void> {
  for (const day of days) expectedSamples.set(`${day} ${Math.floor(nowMs / 900_000)}`, await sumOfRows(day));
}

/** Rebuilt rankings without samples and alerts, and a writer whose batches are ranked at once. */
async function openSales() {
  await database.transaction(async (tx) => {
    for (const table of ["sales_samples", "sales_alerts"]) await tx.execute(`DELETE FROM ${table}`);
  });
  await rebuild({ domain: purchases, database, rankings, series });
  const { take, messages } = await openWriter(own, { series });
  return async (...events: readonly Event[]): Promise<void> => {
    await take(bodyOf(events));
    for (const body of messages.splice(0)) await rankings.rank(name, decodeRankingMessage(body));
  };
}

const salesOf = (date: number, from = sources) => getLive("/chain/sales", {}, { date: String(date) }, from);

const amount = (one: unknown, field: string) => Math.round(Number(fieldIn(one, field) ?? 0) * 10_000);
const amounts = (one: unknown) => [
  Number(fieldIn(one, "quantity")),
  ...["netSales", "grossSales"].map((field) => amount(one, field)),
];
const listOf = (of: unknown, field: string): readonly unknown[] => {
  const list = fieldIn(of, field);
  return Array.isArray(list) ? list : [];
};
const total = (all: readonly unknown[]) =>
  all.map(amounts).reduce((sums, one) => sums.map((sum, at) => sum + (one[at] ?? 0)), [0, 0, 0]);

async function sumOfRows(day: number) {
  const rows = await writer.query<Sum>(sumsOfRows("store_id, item"), [String(day), String(day)]);
  return rows.reduce(([q = 0, n = 0, g = 0], one) => [q + one.quantity, n + one.netSales, g + one.grossSales], [0, 0, 0]); // oxfmt-ignore
}

const insertSamples = "INSERT INTO sales_samples (day, slot, quantity, net_sales, stores, items) VALUES ?";
const selectSamples =
  "SELECT slot, quantity, net_sales AS net, gross_sales AS gross, receipts FROM sales_samples WHERE day = ? ORDER BY slot";
const selectReceipts = `
  SELECT COUNT(*) AS receipts FROM purchases WHERE purchased_on = ? AND NOT EXISTS (
    SELECT 1 FROM purchase_corrections WHERE sale_id = purchases.id AND kind = 'void')`;
const selectRefunds =
  "SELECT CAST(items AS CHAR) AS items FROM purchase_corrections WHERE counted_on = ? AND kind = 'refund'";

const part = { storeId: fc.nat(4), units: fc.integer({ min: 1, max: 9 }), of: fc.nat(), ago: fc.nat(1) };
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("sell"), ...part }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("void", "refund"), ...part }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constantFrom("watch", "watch", "kill", "twice", "flush"), ...part }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

test("hours and regions add up to the board, which is the sum of the rows, whatever happens to samplers and Redis", async () => {
  const store = await openSales();
  const sold: Event[] = [];
  // Samplers of this test have clocks of the past, so that what they count is not in the hour of the reads.
  let clockMs = Date.now() - dayMs / 2;

  async function apply({ kind, storeId, units, of, ago }: Step): Promise<void> {
    const date = days[ago] ?? expect.fail();
    const saleId = sold[of % sold.length]?.id;
    const correction = { id: newEventId(), kind, saleId };
    if (kind === "sell" || saleId === undefined) {
      const event = sale(storeId, { date, lines: [[5, units, 100 + storeId, 1]] });
      sold.push(event);
      await store(event);
    } else if (kind === "void") await store(correction);
    else if (kind === "refund") await store(Object.assign(correction, { storeId, date, lines: [[0, 5, 1]] }));
    // At most 28 hours in all: the days stay live.
    clockMs += (1 + (of % 7)) * minuteMs;
    if (kind === "kill") await expect(watchAt(clockMs, { transaction: killed })).rejects.toThrow("killed");
    if (kind === "twice") await Promise.all([watchAt(clockMs), watchAt(clockMs + 1)]);
    if (kind === "watch") await watchAt(clockMs);
    if (kind === "watch" || kind === "twice") await noteExpected(clockMs);
    if (kind === "flush") {
      await redis.unlink(await redis.keys(`${namespace}:*`));
      // Nothing is noted of boards that are lost.
      await watchAt(clockMs);
      await rebuild({ domain: purchases, database, rankings, series });
    }
  }

  async function compare(): Promise<void> {
    for (const day of days) {
      const [body, expected] = [await salesOf(day), await sumOfRows(day)];
      expect({ day, total: amounts(body) }).toEqual({ day, total: expected });
      expect({ day, hours: total(listOf(body, "hours")) }).toEqual({ day, hours: expected });
      expect({ day, regions: total(listOf(body, "regions")) }).toEqual({ day, regions: [...expected.slice(0, 2), 0] });
    }
    await watchAt((clockMs += minuteMs));
    await noteExpected(clockMs);
    for (const day of days) {
      const rows = await writer.query<Record<"slot" | "quantity" | "net" | "gross" | "receipts", number>>(selectSamples, [day]); // oxfmt-ignore
      for (const { slot, quantity, net, gross } of rows)
        expect({ slot, sums: [quantity, net, gross] }).toEqual({ slot, sums: expectedSamples.get(`${day} ${slot}`) });
      const last = rows.at(-1);
      expect([last?.quantity ?? 0, last?.net ?? 0, last?.gross ?? 0]).toEqual(await sumOfRows(day));
      const [counted] = await writer.query<{ receipts: number }>(selectReceipts, [day]);
      expect({ day, receipts: last?.receipts ?? 0 }).toEqual({ day, ...counted });
      const [after, hours] = [await salesOf(day), (one: unknown) => Number(fieldIn(one, "receipts") ?? 0)];
      expect(listOf(after, "hours").reduce<number>((sum, one) => sum + hours(one), 0)).toBe(counted?.receipts);
      const refunds = await writer.query<{ items: string }>(selectRefunds, [day]);
      const returns = refunds.reduce((sum, { items }) => sum - Number(/(-?\d+)\]\]$/.exec(items)?.[1]), 0);
      // The discount of each sale is 0.0001.
      for (const [field, sum] of Object.entries({ returns, discounts: counted?.receipts }))
        for (const all of [[after], listOf(after, "hours")])
          expect({ day, field, sum: all.reduce<number>((of, one) => of + amount(one, field), 0) }).toEqual({ day, field, sum }); // oxfmt-ignore
    }
  }

  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
      for (const one of steps) await apply(one);
      await compare();
    }),
    { numRuns: 8, endOnFailure: true },
  );
});

test("alerts name silent stores, other dates, many returns and items that sell far more than usual, as the rules say, and are published until a broker has them", async () => {
  const sell = await openSales();
  const nowMs = Date.now();
  const [today, earlierMs, weekAgoMs] = [days[0], nowMs - 61 * minuteMs, nowMs - 7 * dayMs];
  const slotOf = (ms: number) => Math.floor(ms / 900_000);
  const sampleOf = (minutesBefore: number, quantity: number) => [
    utcDayOf(weekAgoMs),
    slotOf(weekAgoMs - minutesBefore * minuteMs),
    quantity,
    null,
    JSON.stringify([[101, quantity, null, weekAgoMs]]),
    "[[5,1000]]",
  ];
  await database.transaction(async (tx) => {
    await tx.insert("INSERT INTO stores (store_id, zone, closing_hour, name) VALUES ?", [
      [101, "UTC", 0, "One"],
      [104, "UTC", 0, "Four"],
    ]);
    await tx.insert("INSERT INTO store_regions (store_id, valid_from, region) VALUES ?", [[101, 10000101, "South"]]);
    // The last one has what was sold until the end of its quarter of an hour.
    await tx.insert(insertSamples, [sampleOf(70, 40), sampleOf(20, 52), sampleOf(0, 60)]);
  });

  await sell(sale(101, { date: today }), sale(102, { date: today }));
  const told: (readonly FeedEvent[])[] = [];
  let isTaken = false;
  const publish = async (events: readonly FeedEvent[]) => told.push(events) > 0 && isTaken;
  const tellAt = (atMs: number) => watchAt(atMs, { publish });
  for (const atMs of [earlierMs, nowMs - 18 * minuteMs])
    expect(await tellAt(atMs)).toEqual({ silent: 0, dates: 0, returns: 0, surge: 0 });

  const returned = sale(103, { date: today, lines: [[5, 40]] });
  const surging = sale(102, { date: today, lines: [[77, 60]] });
  const twoDaysAgo = sale(104, { date: utcDayOf(nowMs - 2 * dayMs) });
  await sell(returned, surging, twoDaysAgo);
  const refund = { id: newEventId(), kind: "refund", saleId: returned.id, storeId: 103, date: today };
  await sell(Object.assign(refund, { lines: [[0, 5, 30]] }));
  const found = { silent: 1, dates: 1, returns: 1, surge: 1 };
  // A ranker without a feed, or of an earlier release, finds them first, and notes no event.
  expect(await watchAt(nowMs - minuteMs)).toEqual(found);
  // Two rankers at once: the alerts of one of them count.
  expect(await Promise.all([tellAt(nowMs), tellAt(nowMs + 1)])).toEqual([found, found]);

  const body = await salesOf(today);
  const lastSaleAt = new Date(earlierMs).toISOString();
  const sinceOf = (of: unknown) => listOf(of, "alerts").map((one) => [fieldIn(one, "rule"), fieldIn(one, "since")]);
  const since = fieldIn(told[0]?.[0]?.data, "since");
  expect(sinceOf(body)).toEqual(["silent", "dates", "returns", "surge"].map((rule) => [rule, since]));
  expect(listOf(body, "alerts")).toMatchObject([
    { storeID: 101, region: "South", lastSaleAt, usual: 12 },
    { storeID: 104 },
    { storeID: 103, text: "30 of 40 units that it sold today were returned" },
    { itemID: 77, text: "60 units in 60 minutes; usual are 0" },
  ]);

  // The next look keeps since when, and follows the rules.
  const put = purchases.puts.find(({ path }) => path.startsWith("/alert-rules"));
  const rows = [
    { rule: "silent", isOn: 0, minutes: null, minimum: null, above: null },
    { rule: "surge", isOn: 1, minutes: null, minimum: 61, above: null },
  ];
  await database.transaction(async (tx) => put?.put(rows, tx, {}));
  isTaken = true;
  expect(await tellAt(nowMs + minuteMs)).toEqual({ silent: 0, dates: 1, returns: 1, surge: 0 });
  expect(sinceOf(await salesOf(today))).toEqual(["dates", "returns"].map((rule) => [rule, since]));
  await tellAt(nowMs + 2 * minuteMs);
  expectTold(told, listOf(body, "alerts"));

  // An event that no broker took for 7 days is deleted. Alerts that are on are told again.
  const old = ["old", nowMs - 8 * dayMs, "{}"];
  await database.transaction((tx) => tx.insert("INSERT INTO alert_events (id, noted_at, event) VALUES ?", [old]));
  await tellAt(nowMs + 3 * minuteMs);
  const stillOn = (told[0] ?? []).map(({ id }) => id).filter((id) => /^(dates|returns):/.test(id));
  expect(
    told
      .at(-1)
      ?.map(({ id }) => id)
      .toSorted(),
  ).toEqual(stillOn.toSorted());
});

/** All alerts were published until a broker took them, with the two that were over then. */
function expectTold(told: readonly (readonly FeedEvent[])[], alerts: readonly unknown[]): void {
  const fields = (one: unknown) => ["rule", "storeID", "itemID", "since", "text"].map((field) => fieldIn(one, field));
  const last = told.at(-1) ?? [];
  for (const events of told) expect(events.slice(0, 4)).toEqual(last.slice(0, 4));
  const shown = last.map(({ data }) => [...fields(data), fieldIn(data, "state")].join());
  const offs = alerts.filter((one) => ["silent", "surge"].includes(String(fieldIn(one, "rule"))));
  const expected = [alerts.map((one) => `${fields(one).join()},on`), offs.map((one) => `${fields(one).join()},off`)];
  expect(shown.toSorted()).toEqual(expected.flat().toSorted());
  expect(told.map((events) => events.length)).toEqual([...told.slice(1).map(() => 4), 6]);
}

test("samples go on with the days that are kept, answer without Redis, and survive a clock that is ahead", async () => {
  const sell = await openSales();
  const nowMs = Date.now();
  await sell(...days.map((date) => sale(201, { date, lines: [[5, 3, 100, 0]] })));
  const noneOf = (isLost: (board: string) => boolean): typeof boards => ({
    ...boards,
    async whole(of) {
      const { cells, asOf } = await boards.whole(of);
      return { asOf, cells: cells.map((one, at) => (isLost(of[at] ?? "") ? undefined : one)) };
    },
  });
  const daysOf = async () =>
    (await writer.query<{ day: number }>("SELECT DISTINCT day FROM sales_samples ORDER BY day")).map(({ day }) => day);
  // Redis keeps no day: the sampler notes no sample and no time of a look.
  await watchAt(nowMs, { boards: noneOf(() => true) });
  expect([await daysOf(), fieldIn(await salesOf(days[0]), "alertsAsOf")]).toEqual([[], null]);
  await watchAt(nowMs, { boards: noneOf((board) => !board.startsWith(String(days[0]))) });
  expect(await daysOf()).toEqual([days[0]]);
  // What yesterday had before the first look is no sign of wrong dates.
  await database.transaction((tx) => tx.execute("DELETE FROM sales_alerts"));
  await watchAt(nowMs);
  const selectStores = "SELECT stores FROM sales_samples WHERE day = ?";
  const [yesterday] = await writer.query<{ stores: string }>(selectStores, [days[1]]);
  expect(JSON.parse(yesterday?.stores ?? "[]")).toContainEqual(expect.arrayContaining([201, 0]));
  const whole = () => Promise.reject(Object.assign(new Error("down"), { failureClass: "unavailable" }));
  const live = await salesOf(days[0]);
  const withoutRedis = await salesOf(days[0], { ...sources, boards: { ...boards, whole } });
  for (const field of ["quantity", "netSales", "regions", "alertsAsOf"])
    expect([field, fieldIn(withoutRedis, field)]).toEqual([field, fieldIn(live, field)]);
  expect([fieldIn(withoutRedis, "asOf"), fieldIn(live, "alertsAsOf")]).toEqual(
    Array(2).fill(new Date(nowMs).toISOString()),
  );
  const hoursWith = async (from: typeof boards) =>
    total(listOf(await salesOf(days[0], { ...sources, boards: from }), "hours"))[1];
  // Rankings without net sales take back none.
  expect(await hoursWith(noneOf((board) => board.includes("netSales")))).toBe(amounts(live)[1]);
  const empty = {
    ...boards,
    whole: async (of: readonly string[]) => ({ cells: of.map(() => new Map<string, number>()), asOf: 1 }),
  };
  expect(await hoursWith(empty)).toBe(0);
  await watchAt(nowMs + 20 * dayMs);
  expect(await daysOf()).toEqual(expect.arrayContaining([days[1], days[0]]));
});

test("what a day sold after the last look and before its end is not of a wrong date; alerts end when no day is kept", async () => {
  const sell = await openSales();
  const sellLate = () => sell(sale(401, { date: days[1] }));
  const midnightMs = Math.floor(Date.now() / dayMs) * dayMs;
  await database.transaction((tx) =>
    tx.insert("INSERT INTO stores (store_id, zone, closing_hour) VALUES ?", [[401, "UTC", 0]]),
  );
  await sellLate();
  await watchAt(midnightMs - 180 * minuteMs);
  await sellLate();
  expect(await watchAt(midnightMs + 180 * minuteMs)).toMatchObject({ dates: 0 });
  await sellLate();
  const states: unknown[] = [];
  const publish = async (events: readonly FeedEvent[]) =>
    states.push(...events.map(({ data }) => fieldIn(data, "state"))) > 0;
  expect(await watchAt(midnightMs + 181 * minuteMs, { publish })).toMatchObject({ dates: 1 });
  // Redis keeps no day: alerts stay on for an hour after the last look.
  const whole = async (of: readonly string[]) => ({ cells: of.map(() => undefined), asOf: 1 });
  const withoutDays = (minutes: number) =>
    watchAt(midnightMs + minutes * minuteMs, { publish, boards: { ...boards, whole } });
  expect(await withoutDays(240)).toMatchObject({ dates: 1 });
  expect([states.includes("on"), states.includes("off")]).toEqual([true, false]);
  expect(await withoutDays(242)).toEqual({ silent: 0, dates: 0, returns: 0, surge: 0 });
  expect(states.filter((state) => state === "off")).toHaveLength(states.length / 2);
  expect(fieldIn(await salesOf(days[0]), "alertsAsOf")).toBe(new Date(midnightMs + 181 * minuteMs).toISOString());
});

test("the same time a week ago is that of the chain's clock after it is changed, and as long after a pause", async () => {
  await openSales();
  const [nowMs, hourEarlierMs] = [Date.UTC(2025, 9, 27, 9), Date.UTC(2025, 9, 20, 8, 15)];
  const sampleOf = (day: number, atMs: number, storeId: number) => {
    const sold = JSON.stringify([[storeId, 40, null, atMs]]);
    return [day, Math.floor(atMs / (15 * minuteMs)), 40, null, sold, "[[77,500]]"];
  };
  await database.transaction(async (tx) => {
    for (const table of ["stores", "alert_rules"]) await tx.execute(`DELETE FROM ${table}`);
    await tx.insert("INSERT INTO stores (store_id, zone, closing_hour) VALUES ?", [[402, "Europe/Berlin", 0]]);
    const samples = [sampleOf(20251020, hourEarlierMs, 402), sampleOf(20251027, nowMs, 403)];
    await tx.insert(insertSamples, samples);
  });
  const ofHour = {
    from: "2025-10-27T09:00:00Z",
    hour: "10",
    offset: "+01:00",
    quantity: 40,
    weekAgo: { quantity: 40 },
  };
  expect(await salesOf(20251027)).toMatchObject({ zone: "Europe/Berlin", hours: [ofHour] });
  const counted: [string, number][] = [];
  const whole = async (of: readonly string[]) => ({ cells: of.map(() => new Map(counted)), asOf: 1 });
  const entries = [["77", 600], ["78", 60]].map(([member, count]) => ({ member: String(member), count: Number(count) })); // oxfmt-ignore
  const top = async () => ({ asOf: 1, isExact: true, total: 0, entries: counted.length === 0 ? [] : entries });
  const lookAt = (minutes: number) => watchAt(nowMs + minutes * minuteMs, { boards: { ...boards, whole, top } });
  expect(await lookAt(0)).toMatchObject({ silent: 0 });
  // In the first look after a pause, sales may not be counted yet.
  expect(await lookAt(60)).toMatchObject({ silent: 0 });
  expect(await lookAt(61)).toMatchObject({ silent: 1 });
  // 500 of item 77 are usual since the last sample.
  counted.push(["402", 660]);
  expect(await lookAt(480)).toMatchObject({ surge: 1 });
  const [surge] = await writer.query<{ alerts: string }>("SELECT alerts FROM sales_alerts WHERE id = 1");
  expect(surge?.alerts).toContain("60 units in 465 minutes; usual are 0");
});

test("many receipts are counted when a quarter of an hour begins, also once after the last change", async () => {
  const sell = await openSales();
  const [day] = days;
  const beginMs = Math.floor(Date.now() / (15 * minuteMs)) * 15 * minuteMs;
  const shownAt = async (minutes: number) => {
    await watchAt(beginMs + minutes * minuteMs);
    return (await writer.query<{ receipts: number }>(selectSamples, [day])).at(-1)?.receipts;
  };
  const [many, counted] = [600_000, async () => (await writer.query<{ receipts: number }>(selectReceipts, [day]))[0]];
  await sell(sale(201, { date: day }));
  expect({ receipts: await shownAt(1) }).toEqual(await counted());
  const setMany = () => database.transaction((tx) => tx.execute("UPDATE sales_samples SET receipts = ?", [many]));
  await setMany();
  await sell(sale(201, { date: day }));
  expect(await shownAt(3)).toBe(many);
  expect(await shownAt(20)).toBe(many);
  expect({ receipts: await shownAt(16) }).toEqual(await counted());
  await setMany();
  await sell(sale(201, { date: day }));
  expect({ receipts: await shownAt(35) }).toEqual(await counted());
  // As an earlier release leaves it, which does not know gross sales.
  await database.transaction((tx) => tx.execute("UPDATE sales_samples SET gross_sales = NULL"));
  await shownAt(36);
  expect(await writer.query(`${selectSamples} DESC LIMIT 1`, [day])).not.toMatchObject([{ gross: null }]);
});

test("what a region had sold a week ago is rounded once, not by store, of any number of stores", async () => {
  await openSales();
  const nowMs = Math.floor(Date.now() / (15 * minuteMs)) * 15 * minuteMs + 7 * minuteMs;
  const atMs = nowMs - 7 * dayMs;
  const sold = Array.from({ length: 150_000 }, (_, at) => [1000 + at, 1, null, atMs]);
  const slot = Math.floor(atMs / (15 * minuteMs));
  await database.transaction(async (tx) => {
    await tx.execute("DELETE FROM stores");
    const one = [utcDayOf(atMs), slot, sold.length, null, JSON.stringify(sold), "[]"];
    await tx.insert(insertSamples, [one]);
  });
  vi.spyOn(Date, "now").mockReturnValue(nowMs);
  onTestFinished(() => void vi.restoreAllMocks());
  const weekAgo = { quantity: 70_000 };
  expect(fieldIn(await salesOf(utcDayOf(nowMs)), "regions")).toContainEqual(expect.objectContaining({ weekAgo }));
  expect(fieldIn(await salesOf(utcDayOf(atMs)), "asOf")).toBe(new Date(atMs).toISOString());
});
