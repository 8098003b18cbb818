import { setTimeout as delay } from "node:timers/promises";
import { bytesOfEventId, decodeRankingMessage, fieldIn, newEventId, type Event, type Sources } from "@tally/contract";
import { audit, foldAll, rebuild } from "@tally/reconcile";
import { addMonths, monthOf, retain, type RetentionProgress } from "@tally/database";
import { nextEpoch } from "@tally/database/own-database";
import { openTcpProxy } from "@tally/local";
import { awayFromMidnight } from "@tally/local/at-end";
import type { Rankings } from "@tally/redis";
import { ownRankings } from "@tally/redis/own-rankings";
import fc from "fast-check";
import { expect, inject, onTestFinished, test, vi } from "vitest";
import { compareChain, compareRanks, dayOf, measures, register, shown } from "./chain.test-kit.ts";
import { bodyOf, get as getFrom, openWriter, purchases, purchasesDatabase, sale } from "./purchases.test-kit.ts";
import { sourcesOf, sumsOfRows, type Sum } from "./purchases.test-kit.ts";

const own = purchasesDatabase();
const database = own.connect();
const { rankings, connect } = ownRankings(1, [purchases]);
const { rankings: unbuilt } = ownRankings(1, [purchases]);
const { name } = purchases;

await awayFromMidnight(600_000);
const days = [0, 1, 4, 9, 40].map(dayOf);
const [today = "", yesterday = "", fourAgo = "", nineAgo = "", first = ""] = days;
const windows: readonly Readonly<Record<string, string>>[] = [
  {},
  ...days.map((date) => ({ date })),
  { from: first, to: today },
  { from: nineAgo, to: yesterday },
  { from: first, to: fourAgo },
];
// In other slices of a day than of all time.
const [stores, items] = [3, [0, 9, 70, 4242, 2 ** 53 - 1]];
const pages = [[10, 0], [100, 1], [2, 2]] as const; // oxfmt-ignore

const place = { store: fc.nat(stores - 1), day: fc.nat(days.length - 1) };
const prices = fc.option(fc.record({ price: fc.nat(99_999), discount: fc.nat(9) }));
const line = fc.tuple(fc.constantFrom(...items), fc.integer({ min: 1, max: 4 }));
const lines = fc.array(line, { minLength: 1, maxLength: 3 });
const scenario = fc.record({
  sold: fc.array(fc.record({ ...place, prices, lines }), { minLength: 8, maxLength: 15 }),
  takenBack: fc.array(fc.record({ ...place, of: fc.nat(), isVoid: fc.boolean() }), { minLength: 6, maxLength: 8 }),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

function eventsOf({ sold, takenBack }: Scenario): readonly Event[] {
  const sales = sold.map((one) => ({
    item: one.lines[0]?.[0],
    event: sale(one.store, {
      date: Number(days[one.day]),
      lines: one.lines.map(([item, quantity]) =>
        one.prices === null ? [item, quantity] : [item, quantity, one.prices.price + 9, one.prices.discount],
      ),
    }),
  }));
  const corrections = takenBack.map(({ of, isVoid, store: storeId, day }) => {
    const { item, event } = sales[of % sales.length] ?? expect.fail();
    const part = { id: newEventId(), saleId: event.id };
    if (isVoid) return { ...part, kind: "void" };
    return { ...part, kind: "refund", storeId, date: Number(days[day]), lines: [[0, item, 1]] };
  });
  return [...sales.map(({ event }) => event), ...corrections];
}

const { writer } = database;
const sourcesWith = (boards: Pick<Rankings, "top" | "whole">) => sourcesOf(writer, boards);
const get = (path: string, params: object, query: object, sources = sourcesWith(rankings)) =>
  getFrom(path, params, query, sources);

/** The sums of the rows, by window. */
const readSums = () =>
  Promise.all(
    windows.map(({ date, from = date ?? "10000101", to = date ?? "99991231" }) =>
      writer.query<Sum>(sumsOfRows("store_id, item"), [from, to]),
    ),
  );

/** `expected`: by default the sums of the rows. */
async function compare(expected?: readonly (readonly Sum[])[]) {
  const sumsOfWindows = expected ?? (await readSums());
  for (const [at, window] of windows.entries()) {
    const sums = sumsOfWindows[at] ?? expect.fail();
    // Only the rows tell days apart.
    await compareChain({ get, writer }, window, { sums, isByDay: expected === undefined });
    for (const by of measures) {
      const ranked = (member: "itemID" | "storeID", of: (one: Sum) => boolean) =>
        sums
          .filter((one) => of(one) && one[by] !== 0)
          .toSorted((a, b) => b[by] - a[by] || a[member] - b[member])
          .map((one) => [one[member], one[by]] as const);
      for (let storeID = 0; storeID < stores; storeID++) {
        const all = ranked("itemID", (one) => one.storeID === storeID);
        const asked = { storeID, ...window, by };
        for (const [limit, offset] of pages) {
          const body = await get("/stores/:storeID/top-items", { storeID }, { ...window, by, limit, offset });
          const entries = shown(fieldIn(body, "items"), "itemID", by, offset + 1);
          const page = { ...asked, limit, offset };
          expect({ ...page, entries }).toEqual({ ...page, entries: all.slice(offset, offset + limit) });
        }
        for (const itemID of items) await compareRanks(get, { storeID, itemID }, { ...window, by }, all);
      }
      for (const itemID of items) {
        const body = await get("/items/:itemID/top-stores", { itemID }, { ...window, by });
        const [asked, all] = [{ itemID, ...window, by }, ranked("storeID", (one) => one.itemID === itemID)];
        expect({ ...asked, stores: shown(fieldIn(body, "stores"), "storeID", by) }).toEqual({ ...asked, stores: all });
      }
    }
  }
}

const options = { own, domain: purchases, database, rankings };
const series = { windows: ["all", "day"], by: ["netSales"] } as const;

/** What audits find after a rebuild: one that reads what is new, a full one, and one beside traffic. */
async function findings(of = options): Promise<readonly unknown[]> {
  await rebuild({ ...of, endpoint: "write", series });
  const audits = [{}, { isFull: true }, { isFull: true, liveMs: 1 }].map((how) =>
    audit({ ...of, endpoint: "write", ...how }),
  );
  const wrong = (await Promise.all(audits)).filter(({ agrees }) => !agrees);
  return wrong.flatMap(({ contradictions, boards, batches }) =>
    [contradictions.first, boards.differences, batches].flat(),
  );
}

/** Removes the month of 40 days ago, in which no later day is, is stopped at each step, and audits there. */
async function removeInSteps(of = options): Promise<void> {
  const { writer: rows } = of.database;
  const remove = (stopsAt?: RetentionProgress["step"]) =>
    retain({
      url: of.own.writeUrl,
      database: of.database,
      domain: { name, retention: purchases.retention ?? expect.fail() },
      firstKept: addMonths(monthOf(Date.now() - 40 * 86_400_000), 1),
      foldAll: () => foldAll(of, () => undefined),
      exportMonth: async () => {
        expect(await findings(of)).toEqual([]);
        const [leaving] = await rows.query<{ events: number }>("SELECT COUNT(*) AS events FROM purchases_leaving");
        return { events: leaving?.events ?? 0, file: "", sha256: "" };
      },
      onProgress: ({ step }) => {
        if (step === stopsAt) throw new Error(`stops at ${step}`);
      },
    });
  for (const step of ["moving", "dropping"] as const) {
    await expect(remove(step)).rejects.toThrow(`stops at ${step}`);
    expect(await findings(of)).toEqual([]);
  }
  // As an earlier release leaves it: it counts leaving rows a second time.
  const [half] = await rows.query<{ id: Buffer }>("SELECT id FROM purchases_leaving ORDER BY id LIMIT 1 OFFSET 1");
  const { id } = half ?? expect.fail();
  await rows.query("UPDATE retention_months SET step = 'counting', counted_to = ? WHERE step <> 'removed'", [id]);
  await rows.query(
    `INSERT INTO purchases_base_batches
     SELECT producer, sequence, COUNT(*) FROM purchases_leaving WHERE id <= ? GROUP BY producer, sequence
     ON DUPLICATE KEY UPDATE purchases_base_batches.purchases = purchases_base_batches.purchases + VALUES(purchases)`,
    [id],
  );
  expect(await findings(of)).toEqual([]);
  expect(await remove()).toMatchObject({ removed: [{ events: expect.toSatisfy((events: number) => events > 2) }] });
  expect(await findings(of)).toEqual([]);
  const left = "SELECT id FROM purchases_leaving UNION SELECT id FROM purchases WHERE purchased_on <= ?";
  expect(await rows.query(left, [first])).toEqual([]);
}

const older = purchasesDatabase();
const ofOlder = { ...options, own: older, database: older.connect(), rankings: ownRankings(1, [purchases]).rankings };

test("counts of a month that was removed before there were folded counts stay, also when the next month is removed", async () => {
  await rebuild({ ...ofOlder, series });
  const { take, messages } = await openWriter(older, { series });
  const [removed = "", ...kept] = [100, 40, 0].map(dayOf);
  const salesOf = (date: string) => [1, 2, 3].map((item) => sale(1, { date: Number(date), lines: [[item, 3]] }));
  await take(bodyOf([removed, ...kept].flatMap(salesOf)));
  for (const body of messages) await ofOlder.rankings.rank(name, decodeRankingMessage(body));
  // As the earlier release, and then the migrations, leave it.
  for (const sql of [
    `INSERT INTO purchases_base_batches
     SELECT producer, sequence, COUNT(*) FROM purchases WHERE purchased_on <= ? GROUP BY producer, sequence`,
    `INSERT INTO folded_series SELECT '${name}', '', store_id, item_id % 8, CONCAT('[[', item_id, ',', quantity, ']]')
     FROM purchase_items WHERE purchased_on <= ?`,
    `INSERT INTO retention_months VALUES ('${name}', DATE_FORMAT(?, '%Y-%m'), 'removed', REPEAT('~', 16), 3, '', '')`,
    "DELETE FROM purchases WHERE purchased_on <= ?",
  ])
    await ofOlder.database.writer.query(sql, [removed]);
  expect(await findings(ofOlder)).toEqual([]);
  // Of the removed day, a refund has its row.
  const bought = sale(1, { date: Number(kept.at(-1)), lines: [[5, 2, 100, 0]] });
  const [id, takenBack] = [newEventId(), [[0, 5, 1]]];
  const refund = { id, kind: "refund", saleId: bought.id, storeId: 1, date: Number(removed), lines: takenBack };
  await take(bodyOf([bought, refund]));
  for (const body of messages) await ofOlder.rankings.rank(name, decodeRankingMessage(body));
  await foldAll(ofOlder, () => undefined);
  expect(await older.connect().writer.query("SELECT 1 FROM purchase_corrections")).toHaveLength(1);
  expect(await findings(ofOlder)).toEqual([]);
  await removeInSteps(ofOlder);
});

test("every window by every measure is the sum of its rows, folded, not folded, while they are folded, and removed", async () => {
  await rebuild({ ...options, series });
  const opened = await openWriter(own, { series });
  await database.transaction(register);
  const storeAll = async (events: readonly Event[]): Promise<void> => {
    await opened.take(bodyOf(events));
    for (const body of opened.messages.splice(0)) await rankings.rank(name, decodeRankingMessage(body));
  };
  const store = async (one: Scenario): Promise<void> => {
    await storeAll(eventsOf(one));
    await compare();
  };
  const run = async (folded: Scenario, rest: Scenario): Promise<void> => {
    await store(folded);
    let isFolding = true;
    const folding = foldAll(options, () => undefined).finally(() => (isFolding = false));
    do await compare();
    while (isFolding);
    await folding;
    await store(rest);
  };
  await storeAll([0, 1, 2].map((storeId) => sale(storeId, { date: Number(first), lines: [[9, 1]] })));
  await fc.assert(fc.asyncProperty(scenario, scenario, run), { numRuns: 2, endOnFailure: true });

  const [taken] = await writer.query<{ corrections: number }>(
    "SELECT COUNT(*) AS corrections FROM purchase_corrections",
  );
  expect(taken?.corrections).toBeGreaterThan(10);

  // The rows of the first month leave, of which there are enough whatever is random, and their counts stay.
  const expected = await readSums();
  await removeInSteps();
  await compare(expected);
  for (const one of ["", "netSales", first]) {
    const where = `WHERE series = '${one}' AND counts <> '[]' ORDER BY member, slice LIMIT 1`;
    const [{ counts } = expect.fail()] = await writer.query<{ counts: string }>(
      `SELECT counts FROM folded_series ${where}`,
    );
    await writer.query(`UPDATE folded_series SET counts = ? ${where}`, [counts.replace(/\d+\]/, "7777]")]);
    expect([one, await findings()]).toEqual([one, expect.arrayContaining([expect.stringMatching(/differ/)])]);
    await writer.query(`UPDATE folded_series SET counts = ? ${where}`, [counts]);
  }
  // As if the first part of each slice were full.
  await writer.query("UPDATE folded_series SET slice = slice + 16");
  await compare(expected);
  await writer.query("UPDATE folded_series SET slice = slice - 16");
  // On a removed day a refund counts.
  const refunded = sale(0, { date: Number(today), lines: [[9, 2, 19_900, 0]] });
  const [id, takenBack] = [newEventId(), [[0, 9, 1]]];
  const refund = { id, kind: "refund", saleId: refunded.id, storeId: 0, date: Number(first), lines: takenBack };
  await storeAll([refunded, refund]);
  expect(await findings()).toEqual([]);
  await foldAll(options, () => undefined);
  expect(await findings()).toEqual([]);
  expect(await writer.query("SELECT 1 FROM purchase_corrections WHERE id = ?", [bytesOfEventId(id)])).toHaveLength(1);
});

test("what Redis may not keep is counted from rows while it is frozen or away, and is as of then", async () => {
  const proxy = await openTcpProxy(inject("services").redisUrl);
  onTestFinished(() => proxy.close());
  const [patient, distant] = [60_000, 1000].map((commandTimeoutMs) =>
    sourcesWith(connect({ url: proxy.url, commandTimeoutMs })),
  );
  const { take } = await openWriter(own);
  await take(bodyOf([sale(stores, { date: Number(today), lines: [[5, 2, 19_900, 0]] })]));
  for (const state of ["frozen", "cut"] as const) {
    proxy.become({ name: state });
    const top = (by: string, sources = patient) =>
      get("/stores/:storeID/top-items", { storeID: stores }, { by }, sources);
    const [before, body] = [new Date().toISOString(), await top("netSales")];
    // Long before Redis is given up.
    expect(Date.now() - Date.parse(before)).toBeLessThan(30_000);
    expect(body).toMatchObject({ items: [{ itemID: 5, netSales: "3.9800" }], asOf: expect.any(String) });
    expect(String(fieldIn(body, "asOf")) >= before).toBe(true);
    await expect(top("quantity", distant)).rejects.toThrow("Redis does not respond");
  }
});

test("a batch of a closed epoch counts once in a ranking of an item, also if it is folded between two statements", async () => {
  await rebuild({ domain: purchases, database, rankings });
  const { take, messages } = await openWriter(own);
  await take(bodyOf([sale(stores, { date: Number(fourAgo), lines: [[77, 2]] })]));
  for (const body of messages) await rankings.rank(name, decodeRankingMessage(body));
  await nextEpoch(database, name);
  const { read, ...sources } = sourcesWith(rankings);
  const ahead: Sources["rows"] = { query: (sql, values) => writer.query(sql.replace("MIN(", "99 + MIN("), values) };
  const foldOnce = () => foldAll({ domain: purchases, database, rankings }, () => undefined);
  // Three statements, and one more if they do not fit together: also if the first server was ahead of the others.
  const cases = [[writer, undefined, 3], [ahead, undefined, 4], [writer, foldOnce, 4]] as const; // oxfmt-ignore
  for (const [rows, after, statements] of cases) {
    let [done, last] = [0, Promise.resolve<unknown>(undefined)];
    const inTurn: Sources["read"] = (what, key) => {
      const found = last.then(() => read(what, key));
      last = found.then(() => (done++ === 0 ? after?.() : undefined));
      return found;
    };
    const body = await get("/items/:itemID/top-stores", { itemID: 77 }, { date: fourAgo }, { ...sources, rows, read: inTurn }); // oxfmt-ignore
    expect([fieldIn(body, "stores"), done]).toEqual([[{ rank: 1, storeID: stores, quantity: 2 }], statements]);
  }
});

test("equal rankings of many days that are under way at once are counted once", async () => {
  const { stream, ...sources } = sourcesWith(rankings);
  const { take } = await openWriter(own);
  await take(bodyOf([sale(stores, { date: Number(nineAgo), lines: [[78, 2]] })]));
  const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
  const found = vi.fn<Sources["stream"]>((...all) => held.then(() => stream(...all)));
  let come = 0;
  const query: Sources["rows"]["query"] = (...all) => writer.query<never>(...all).finally(() => come++);
  const of = { ...sources, rows: { query }, stream: found };
  const top = (more: object = {}) => get("/chain/top-items", {}, { from: nineAgo, to: fourAgo, ...more }, of);
  const earlier = [top(), top()];
  await expect.poll(() => come).toBe(2);
  await nextEpoch(database, name);
  const askedAt = new Date().toISOString();
  const last = top({ limit: 1 });
  await expect.poll(() => come).toBe(3);
  await delay(50).then(() => release(undefined));
  expect(String(fieldIn(await last, "asOf")) < askedAt).toBe(true);
  const [best, ...others] = (await Promise.all([...earlier, last])).map((one) => fieldIn(one, "items"));
  expect(best).toContainEqual(expect.objectContaining({ itemID: 78, quantity: 2 }));
  expect([others[0], found.mock.calls.length]).toEqual([best, 1]);
  expect([fieldIn(await top(), "items"), found.mock.calls.length]).toEqual([best, 2]);
});

test("regions that have the same stores on other days are counted apart at once, however many stores they have", async () => {
  const { stream, ...sources } = sourcesWith(rankings);
  const { take } = await openWriter(own);
  const soldOn = (day: string, quantity: number) => sale(90, { date: Number(day), lines: [[79, quantity]] });
  await take(bodyOf([soldOn(nineAgo, 2), soldOn(fourAgo, 3)]));
  const others = Array.from({ length: 6000 }, (_, at) => [1000 + at, 10_000_101, "Old"]);
  const versions = [[90, 10_000_101, "Old"], [90, Number(fourAgo), "New"], ...others]; // oxfmt-ignore
  const replace = "REPLACE INTO store_regions (store_id, valid_from, region) VALUES ?";
  await database.transaction((tx) => tx.upsert(replace, versions));
  const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
  const found = vi.fn<Sources["stream"]>((...all) => held.then(() => stream(...all)));
  const soldIn = async (region: string) => {
    const query = { from: nineAgo, to: fourAgo };
    const body = await get("/regions/:region/top-stores", { region }, query, { ...sources, stream: found });
    return fieldIn(body, "stores");
  };
  const counted = [soldIn("Old"), soldIn("New")];
  await vi.waitFor(() => expect(found).toHaveBeenCalledTimes(2), 30_000);
  await database.transaction((tx) => tx.upsert(replace, [[90, Number(nineAgo), "New"]]));
  counted.push(soldIn("New"));
  await vi.waitFor(() => expect(found).toHaveBeenCalledTimes(3), 30_000);
  release(undefined);
  expect(await Promise.all(counted)).toEqual([2, 3, 5].map((quantity) => [{ rank: 1, storeID: 90, quantity }]));
  // Of the folded counts, only those of its stores are read.
  const [select, values] = found.mock.calls[0] ?? expect.fail();
  const plan = expect.objectContaining({ table: "folded_series", key_len: "68" });
  expect(await writer.query(`EXPLAIN FORMAT=TRADITIONAL ${select}`, values)).toContainEqual(plan);
});

test("of the regions of a store that are registered at once the last one counts, from its day on", async () => {
  const put = purchases.puts.find(({ path }) => path.startsWith("/stores")) ?? expect.fail();
  const registered = (...regions: readonly string[]) => {
    const rows = regions.map((region) => put.rowOf({ storeID: "91" }, { zone: "UTC", region }));
    return database.transaction(async (tx) => (await put.put(rows, tx, {})).map((one) => fieldIn(one, "region")));
  };
  const select = "SELECT region, valid_from = 10000101 AS isFirst FROM store_regions WHERE store_id = 91";
  for (const last of ["West", "East", "East"]) {
    expect(await registered("East", "West", last)).toEqual([last, last, last]);
    expect(await database.writer.query(`${select} ORDER BY valid_from`)).toEqual([
      { region: "East", isFirst: 1 },
      { region: last, isFirst: 0 },
    ]);
  }
});

test("a ranking of the chain with too many rows is refused", async () => {
  const { read, ...sources } = sourcesWith(rankings);
  const { take } = await openWriter(own);
  await take(bodyOf([sale(stores, { date: Number(nineAgo), lines: [[78, 2]] })]));
  const many: Sources["read"] = async (what, key) => {
    const found = await read(what, key);
    if (!Array.isArray(found)) return found;
    return Array.from({ length: 300_001 }, (): unknown => found[0]) as never; // oxlint-disable-line typescript/no-unsafe-type-assertion
  };
  const stream: Sources["stream"] = (_sql, _values, each) => each(Array(3_000_001));
  const text = "0".repeat(1e8);
  const large: Sources["stream"] = (_sql, _values, each) => each(Array.from({ length: 16 }, () => [1, "", text, 1]));
  const away = () => Promise.reject(Object.assign(new Error("Redis is away"), { failureClass: "unavailable" }));
  const { boards } = sources;
  const late: typeof boards = {
    ...boards,
    top: () => delay(700, { asOf: 1, isExact: true, total: 0, entries: [] }),
    whole: () => delay(700, { asOf: 1, cells: [new Map()] }),
  };
  for (const path of ["/chain/top-items", "/chain/top-stores", "/chain/top-categories"]) {
    const top = (query: object, more = boards) =>
      get(path, {}, query, { ...sources, read: many, stream, boards: more });
    await expect(top({ date: nineAgo })).rejects.toThrow("date: expected at most 300,000 sales");
    await expect(top({ from: nineAgo, to: nineAgo })).rejects.toThrow("from: expected at most 300,000 sales");
    await expect(top({ from: nineAgo, to: fourAgo })).rejects.toThrow("at most 3,000,000 sales");
    await expect(get(path, {}, {}, { ...sources, read, stream: large })).rejects.toThrow("at most 1.5 GB");
    await expect(top({ date: today }, { ...boards, top: away, whole: away })).rejects.toThrow("Redis is away");
    await expect(top({ date: today }, sourcesWith(unbuilt).boards)).rejects.toThrow("no whole rankings");
    expect(Object.values(Object(await top({ date: today }, late)))).toContainEqual([]);
  }
});
