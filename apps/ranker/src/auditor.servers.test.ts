import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { holdEpoch } from "@tally/database/own-database";
import { DatabaseError, keepShards } from "@tally/database";
import { readEpochs, readFold, readShards } from "@tally/database";
import { defaultSeries, firstKeptDay, firstLiveDay, keptSince, Moves } from "@tally/contract";
import type { BatchId } from "@tally/contract";
import { awayFromMidnight } from "@tally/local/at-end";
import { encodeMoves, type Rankings } from "@tally/redis";
import { goLive } from "@tally/redis/own-rankings";
import { rebuild } from "@tally/reconcile";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { open, openBuilt } from "./one-store.test-kit.ts";

beforeEach(() => awayFromMidnight());

test("a batch whose ranking message was lost is ranked from the ledger, and a late message does nothing", async () => {
  const { domain, rankings, seen, storeSale, count, start } = await openBuilt(1);
  // The clock of its writer was an hour late.
  const message = await storeSale(Date.now() - 3_600_000);
  start();
  await vi.waitFor(() => expect(seen).toEqual({ repaired: 1, rebuilt: 0 }), 60_000);
  expect(await rankings.rank(domain.name, message)).toBe(false);
  expect(await count()).toBe(2);
  // Likewise when it was checked before the switch of a builder that died then.
  const generation = (await rankings.build(domain.name)) ?? expect.fail("another one builds");
  await generation.noteSeries(keptSince(defaultSeries, Date.now()));
  await goLive(generation, 0);
  await vi.waitFor(() => expect(seen).toEqual({ repaired: 2, rebuilt: 0 }), 60_000);
  expect(await count()).toBe(2);
});

// A later release may write "v":4, and be rolled back before its messages were ranked.
const laterVersion = "UPDATE batches SET moves = CONCAT('{\"v\":4', SUBSTRING(moves, 7)) WHERE producer = ?";

test.each([
  [2, "a Redis that has lost everything", "lost"],
  [3, "a batch that is not ranked and whose ranking message is missing", "missing"],
  [9, "a batch that is not ranked and whose ranking message is of a later release", "later"],
  [16, "a Redis that is older than what is folded", "folded"],
])("the rankings of store %i are rebuilt from the rows after %s", async (storeId, _, what) => {
  const { domain, database, rankings, seen, storeSale, rebuild: build, count, start } = await open(storeId);
  if (what !== "lost") await build();
  const message = await storeSale();
  await database.transaction(async (transaction) => {
    if (what === "missing") await transaction.execute("UPDATE batches SET moves = NULL WHERE moves IS NOT NULL");
    if (what === "folded") await transaction.execute("UPDATE ledger_folds SET batches = 99 WHERE domain = 'store-16'");
    if (what === "later") await transaction.execute(laterVersion, [Buffer.from(message.batch.producer, "hex")]);
  });
  start();
  await vi.waitFor(() => expect(seen).toEqual({ repaired: 0, rebuilt: 1 }), 60_000);
  expect(await rankings.rank(domain.name, message)).toBe(false);
  expect(await count()).toBe(2);
});

test("rankings are not rebuilt for batches that are folded while the auditor looks", async () => {
  const { database, rankings, seen, start } = await openBuilt(27);
  const folded = vi.fn<Rankings["folded"]>(async (name) => {
    const found = await rankings.folded(name);
    await database.writer.query("UPDATE ledger_folds SET batches = ? WHERE domain = ?", [found + 1, name]);
    return rankings.noteFolded(name, found + 1).then(() => found);
  });
  start({ ...rankings, folded });
  await vi.waitFor(() => expect([folded.mock.calls.length > 2, seen.rebuilt]).toEqual([true, 0]), 60_000);
});

test("lost ranking messages are repaired while the database cannot write", async () => {
  const { database, seen, storeSale, nextEpoch, start } = await openBuilt(28);
  await storeSale().then(nextEpoch);
  vi.spyOn(database, "transaction").mockRejectedValue(new DatabaseError("DATABASE_UNAVAILABLE", "read-only"));
  start();
  await vi.waitFor(() => expect(seen).toEqual({ repaired: 1, rebuilt: 0 }), 60_000);
});

test("the first rankings of a domain are logged as info", async () => {
  const empty = await open(5);
  empty.start();
  await vi.waitFor(() => expect(empty.seen.rebuilt).toBe(1), 60_000);
  expect(empty.lines).toEqual([
    "info auditor: building the rankings of store-5 from the rows",
    "info auditor: rankings rebuilt",
  ]);
});

test("what was checked in this run of Redis is not checked again, and all of it is after a restart", async () => {
  const { domain, rankings, seen, storeSale, nextEpoch, count, start } = await openBuilt(4);
  const instance = await rankings.instance();
  await storeSale();
  const { closedTo: noted } = await nextEpoch();
  await rankings.noteChecked(domain.name, instance, noted);
  const ranked = await storeSale();
  await rankings.rank(domain.name, ranked);
  start();
  await vi.waitFor(async () => expect(await rankings.checkedTo(domain.name, instance)).toBeGreaterThan(noted), 60_000);
  expect([await count(), seen]).toEqual([2, { repaired: 0, rebuilt: 0 }]);
  start({ ...rankings, instance: async () => "the run id after a restart" });
  await vi.waitFor(() => expect(seen).toEqual({ repaired: 1, rebuilt: 0 }), 60_000);
  expect(await count()).toBe(4);
});

test("after a failover of Redis the newest batches are ranked first, before the whole ledger is read", async () => {
  const { domain, rankings, seen, storeSale, nextEpoch, rebuild: build, start } = await open(10);
  const old = await storeSale();
  const { closedTo } = await nextEpoch();
  await build();
  const ranked: string[] = [];
  let instance = await rankings.instance();
  await rankings.noteChecked(domain.name, instance, closedTo);
  const instanceNow = vi.fn<Rankings["instance"]>(async () => instance);
  start({
    ...rankings,
    instance: instanceNow,
    rank(name, { batch, ...message }) {
      ranked.push(batch.producer);
      return rankings.rank(name, { batch, ...message });
    },
    // Redis has lost the mark of the old one too.
    async unmarked(name, batches) {
      const isOld = (one: BatchId) => one.producer === old.batch.producer && !ranked.includes(one.producer);
      return [...batches.filter(isOld), ...(await rankings.unmarked(name, batches))];
    },
  });
  // The first round has read what was checked.
  await vi.waitFor(() => expect(instanceNow.mock.calls.length).toBeGreaterThan(1), 60_000);
  const recent = await storeSale();
  instance = "the run id of another master";
  await vi.waitFor(() => expect(ranked).toHaveLength(2), 60_000);
  expect(ranked).toEqual([recent.batch.producer, old.batch.producer]);
  expect(seen.rebuilt).toBe(0);
});

test("batches that the database has lost are found whatever was ranked before and after them", async () => {
  const { domain, rankings, seen, storeSale, lose, count, start, lines } = await openBuilt(7);
  // The ranker was behind: it ranks what was lost after what was not.
  const messages = [];
  for (let sale = 0; sale < 6; sale++) messages.push(await storeSale());
  for (const { batch } of messages.slice(0, 3)) await lose(batch);
  for (const message of messages) await rankings.rank(domain.name, message);
  expect(await count()).toBe(12);
  start();
  await vi.waitFor(() => expect(seen).toEqual({ repaired: 0, rebuilt: 1 }), 60_000);
  expect(await count()).toBe(6);
  expect(lines[0]).toBe("warn auditor: rebuilding the rankings of store-7 from the rows");
});

test("a batch that the database has lost is found at once among 100,000 that were ranked since an epoch", async () => {
  const { domain, database, rankings, seen, storeSale, lose, count, start } = await open(26);
  const producer = "1".padStart(16, "0");
  const parts = Array.from({ length: 13 }, (_, part) => part);
  const insert = "INSERT INTO folded_batches (domain, producer, part, marks) VALUES ?";
  const marks = parts.map((part) => [domain.name, Buffer.from(producer, "hex"), part, Buffer.alloc(1024, 0xff)]);
  await database.transaction((transaction) => transaction.insert(insert, marks));
  const build: Rankings["build"] = async (...of) => {
    const generation = await rankings.build(...of);
    for (const part of parts)
      await generation?.noteRecent(Array.from({ length: 8192 }, (_, n) => ({ producer, sequence: part * 8192 + n })));
    return generation;
  };
  await rebuild({ domain, database, rankings: { ...rankings, build }, endpoint: "write" });
  const lost = await storeSale();
  await rankings.rank(domain.name, lost);
  await lose(lost.batch);
  start();
  await vi.waitFor(() => expect(seen).toEqual({ repaired: 0, rebuilt: 1 }), 40_000);
  expect(await count()).toBe(0);
});

test("a promoted replica that lacks batches which were found before lacks the epoch that was noted", async () => {
  const { domain, database, rankings, seen, storeSale, lose, count, start } = await openBuilt(12);
  const [kept, lost] = [await storeSale(), await storeSale()];
  for (const message of [kept, lost]) await rankings.rank(domain.name, message);
  const select = "SELECT slot, epoch, token, is_open FROM ledger_epochs WHERE domain = ?";
  type Row = Record<"slot" | "epoch" | "is_open", number> & { readonly token: Buffer };
  const before = await database.writer.query<Row>(select, [domain.name]);
  start();
  const covered = { noted: { epoch: 2 }, batches: [] };
  await vi.waitFor(async () => expect(await rankings.inLedger(domain.name)).toMatchObject(covered), 60_000);
  await lose(lost.batch);
  const update = "UPDATE ledger_epochs SET epoch = ?, token = ?, is_open = ? WHERE domain = ? AND slot = ?";
  await database.transaction(async (transaction) => {
    for (const { slot, epoch, token, is_open } of before)
      await transaction.execute(update, [epoch, token, is_open, domain.name, slot]);
  });
  await vi.waitFor(() => expect(seen).toEqual({ repaired: 0, rebuilt: 1 }), 60_000);
  expect(await count()).toBe(2);
});

test("while a frozen writer keeps an epoch open, lost ranking messages of other batches are repaired", async () => {
  const { domain, database, seen, storeSale, count, start } = await openBuilt(13);
  const [, commit] = await holdEpoch(database, domain.name);
  await storeSale();
  start();
  await vi.waitFor(() => expect(seen).toEqual({ repaired: 1, rebuilt: 0 }), 60_000);
  expect(await count()).toBe(2);
  await commit();
});

test.each([
  [14, "lacks the epoch that the rebuild noted", 0, "UPDATE ledger_epochs SET token = ? WHERE domain = ?"],
  [24, "after its newest epoch began lacks the batches", 0, undefined],
  [25, "after 10,000 other batches of its newest epoch lacks the batches", 10_000, undefined],
])("the rankings of store %i are rebuilt: a database that loses what a rebuild had read %s", async (...row) => {
  const [id, , others, change] = row;
  const { domain, database, seen, storeSale, lose, rebuild: build, count, start } = await open(id);
  const lost = await storeSale(Date.now(), others);
  await build();
  await lose(lost.batch);
  if (change !== undefined)
    await database.transaction((transaction) => transaction.execute(change, [randomBytes(8), domain.name]));
  start();
  await vi.waitFor(() => expect(seen).toEqual({ repaired: 0, rebuilt: 1 }), 60_000);
  expect(await count()).toBe(0);
});

test("a rebuild that fails is begun again later and later", async () => {
  const { rankings, start } = await open(15);
  const build = vi.fn<Rankings["build"]>().mockRejectedValue(new Error("OOM command not allowed"));
  start({ ...rankings, build });
  await delay(7500);
  // After 0, 1 and 3 s; without a pause it would be each second.
  expect(build.mock.calls.length).toBeLessThan(5);
  await expect.poll(() => build.mock.calls.length).toBeGreaterThan(1);
});

const isReported = [0, "warn cannot fold the ledger of store-18; retrying", "unfolded store-18"];
test.each([
  [17, "is folded", "SELECT 1", [1]],
  [18, "without its row is not folded, which is reported", "DELETE FROM purchases WHERE store_id = 18", isReported],
])("an old batch of store %i %s", async (storeId, _, change, expected) => {
  const { domain, database, rankings, storeSale, nextEpoch, start, lines } = await openBuilt(storeId);
  await rankings.rank(domain.name, await storeSale());
  await database.writer.query(change);
  const { closedTo } = await nextEpoch();
  await rankings.noteChecked(domain.name, await rankings.instance(), closedTo);
  const replicated = async () => (await readEpochs(database.reader, domain.name)).closedTo;
  await expect.poll(replicated).toBe(closedTo);
  start(rankings, 0);
  const folded = async () => (await readFold(database.writer, domain.name)).batches;
  await vi.waitFor(async () => expect([await folded(), ...lines]).toEqual(expected), 30_000);
});

test("days that are over are deleted, and rankings are rebuilt for other settings of series", async () => {
  const { domain, rankings, storeSale, start, seen } = await openBuilt(19);
  const boardsOf = (day: string) => ({ prefix: `${day}/item:`, mirrorPrefix: `${day}/store:` });
  const [over, later] = ["20260101", "20991231"].map(boardsOf);
  /** Ranks moves as a batch of the ledger. */
  const rank = async (moves: Moves) => rankings.rank(domain.name, { ...(await storeSale()), ...encodeMoves(moves, 1) });
  const many = new Moves();
  for (const boards of [over, later])
    for (let item = 0; item < 200; item++) many.addMirrored(boards ?? expect.fail(), String(item), "19", 1);
  await rank(many);
  const days = async (): Promise<readonly string[]> => {
    let found = new Set<string>(); // a scan may name a board twice
    for await (const names of rankings.boards(domain.name)) found = found.union(new Set(names));
    return [...found].filter((name) => name.includes("/")).map((name) => name.slice(0, 8));
  };
  expect(await days()).toHaveLength(406);
  await rankings.forgetDays(domain.name, 20260102);
  expect([(await days()).length, new Set(await days())]).toEqual([203, new Set(["20991231"])]);
  // Without the floor of before, the board begins anew.
  const late = new Moves();
  late.addMirrored(over ?? expect.fail(), "500", "19", 1);
  await rank(late);
  expect((await rankings.top(domain.name, "20260101/store:19", 9)).entries).toEqual([{ member: "500", count: 1 }]);
  expect(await rankings.count(domain.name, "20260101/all:items", "0")).toBe(0);
  const auditor = start();
  await vi.waitFor(async () => expect(new Set(await days())).toEqual(new Set(["20991231"])), 60_000);
  await auditor.stop();
  expect(seen.rebuilt).toBe(0);
  // It lacks only what is no longer asked for.
  await rankings.rank(domain.name, { ...(await storeSale()), series: "netSales" });
  start(rankings, 3_600_000, { windows: ["all"], by: ["netSales"] });
  await vi.waitFor(() => expect(seen.rebuilt).toBe(1), 60_000);
  expect([await rankings.series(domain.name), await days()]).toEqual([{ measures: ["netSales"], chain: true }, []]);
});

test("a clock that is days ahead deletes no boards of live days, and those of a day that is over at once", async () => {
  const { domain, database, rankings, start } = await openBuilt(20);
  const [expected, next] = [0, 1].map((days) => firstKeptDay(Date.now() + days * 86_400_000));
  vi.spyOn(Date, "now").mockReturnValue(Date.now() + 5 * 86_400_000);
  onTestFinished(() => void vi.restoreAllMocks());
  const forgotten: unknown[] = [];
  start({ ...rankings, forgetDays: async (...of) => void forgotten.push(of) });
  await vi.waitFor(() => expect(forgotten).toEqual([[domain.name, expected]]), 60_000);
  const query = database.writer.query.bind(database.writer);
  const later = "NOW(3) + INTERVAL 1 DAY";
  vi.spyOn(database.writer, "query").mockImplementation((sql, ...of) => query(sql.replace("NOW(3)", later), ...of));
  await vi.waitFor(() => expect(forgotten.at(-1)).toEqual([domain.name, next]), 60_000);
  expect(forgotten).toHaveLength(2);
});

test("rankings that were rebuilt while the database's clock was days ahead are rebuilt when it is right again", async () => {
  const { domain, database, rankings, start, seen } = await open(29);
  const generation = (await rankings.build(domain.name)) ?? expect.fail("another one builds");
  await generation.noteSeries({ ...keptSince(defaultSeries, Date.now() + 5 * 86_400_000), chain: true });
  await goLive(generation, 0);
  const query = database.writer.query.bind(database.writer);
  const later = "NOW(3) + INTERVAL 5 DAY";
  const clock = vi.spyOn(database.writer, "query");
  clock.mockImplementation((sql, ...of) => query(sql.replace("NOW(3)", later), ...of));
  const inLedger = vi.fn<Rankings["inLedger"]>((...of) => rankings.inLedger(...of));
  start({ ...rankings, inLedger });
  await vi.waitFor(() => expect([inLedger.mock.calls.length > 2, seen.rebuilt]).toEqual([true, 0]), 60_000);
  clock.mockRestore();
  await vi.waitFor(() => expect(seen.rebuilt).toBe(1), 60_000);
  expect((await rankings.series(domain.name))?.from).toBe(firstLiveDay(Date.now()));
});

test("rankings are rebuilt for series after the first message with them, and when no message lacks one any more", async () => {
  const { domain, rankings, storeSale, start, seen } = await open(21);
  // An earlier release builds without series. Its rankers may still rank messages, and delete no note.
  await goLive((await rankings.build(domain.name)) ?? expect.fail("another one builds"), 0);
  const rank = async (series: string) => rankings.rank(domain.name, { ...(await storeSale()), series });
  const rebuilt = async () => [seen.rebuilt, (await rankings.series(domain.name)) !== undefined];
  const lacks = vi.fn<Rankings["lacksSeries"]>((...of) => rankings.lacksSeries(...of));
  start({ ...rankings, lacksSeries: lacks });
  const { series: _, ...earlier } = await storeSale();
  await rankings.rank(domain.name, earlier);
  await vi.waitFor(() => expect(lacks.mock.calls.length).toBeGreaterThan(2), 60_000);
  expect([await rankings.lacksSeries(domain.name, defaultSeries), seen.rebuilt]).toEqual([true, 0]);
  await rank("day");
  await vi.waitFor(() => expect(seen.rebuilt).toBe(1), 60_000);
  await rank("netSales");
  lacks.mockClear();
  await vi.waitFor(() => expect(lacks.mock.calls.length).toBeGreaterThan(2), 60_000);
  expect([await rankings.lacksSeries(domain.name, defaultSeries), ...(await rebuilt())]).toEqual([true, 1, false]);
  lacks.mockResolvedValue(false);
  await vi.waitFor(async () => expect(await rebuilt()).toEqual([2, true]), 60_000);
});

test("an auditor that is stopped while it rebuilds lets others build", async () => {
  const { domain, rankings, start } = await open(23);
  const switching = Promise.withResolvers<void>();
  const build: Rankings["build"] = async (...args) => {
    const generation = await rankings.build(...args);
    return generation && { ...generation, switch: () => (switching.resolve(), generation.switch()) };
  };
  const auditor = start({ ...rankings, build });
  await switching.promise;
  await auditor.stop();
  expect(await rankings.isBuilding(domain.name)).toBe(false);
});

test("the number of shards of rankings that an earlier release has built is kept in the database", async () => {
  const { domain, database, rankings, start } = await open(8);
  await goLive((await rankings.build(domain.name, 3)) ?? expect.fail("another one builds"), 0);
  start();
  const kept = () => readShards(database.writer, domain.name);
  await vi.waitFor(async () => expect(await kept()).toBe(3), 60_000);
  // The same after a failover to a replica without the last commits.
  await database.transaction((transaction) => keepShards(transaction, domain.name, 1));
  await vi.waitFor(async () => expect(await kept()).toBe(3), 60_000);
});

test("a lost ranking message is repaired while rankers of other settings rebuild in turns", async () => {
  const { rankings, storeSale, nextEpoch, count, start, seen } = await openBuilt(22);
  // As if the other one had rebuilt at once.
  start({ ...rankings, lacksSeries: async () => false, series: async () => ({ measures: ["netSales"] }) });
  // Then the next rebuild waits 16 s.
  await vi.waitFor(() => expect(seen.rebuilt).toBe(5), 60_000);
  await storeSale();
  await nextEpoch();
  await vi.waitFor(() => expect(seen).toEqual({ repaired: 1, rebuilt: 5 }), 60_000);
  expect(await count()).toBe(2);
});
