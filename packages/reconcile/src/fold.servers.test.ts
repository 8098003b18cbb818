import { setTimeout as delay } from "node:timers/promises";
import { findMissing, FoldedMeanwhile, foldedCounts, foldedMarks, readEpochs, readFold } from "@tally/database";
import { rowsOfLedger, type Database } from "@tally/database";
import { readTotals } from "@tally/database/own-database";
import type { SqlReader, SqlSnapshot } from "@tally/contract";
import { expect, test, vi } from "vitest";
import { auditFolded } from "./audit-rankings.ts";
import { byOfCount, type Entries } from "./cell-counts.ts";
import { Findings } from "./findings.ts";
import { FoldedSums } from "./folded-sums.ts";
import { readTables } from "./read-tables.ts";
import { rebuild } from "./rebuild.ts";
import { storedSales } from "./stored-sales.test-kit.ts";
import { lookAt } from "./until-drained.ts";

const names =
  "any large young unmarked miscounted built older foreign twice fewer wrong behind ranges wide summed looked series".split(
    " ",
  );
const { redis, namespace, rankings, build, database, nextEpoch, open } = storedSales(names);

test("counts, marks and totals stay as they were, whatever is folded when; what was lost is rebuilt from them", async () => {
  const { domain, store, foldWith, inLedger, audit: auditIt, messages } = await open("any");
  for (let round = 0; round < 4; round++) {
    await store(15);
    await nextEpoch("any");
    await store(5);
    await foldWith({});
    expect(await inLedger()).toBe(5);
    for (const isFull of [false, true]) {
      const { agrees, ledger, batches } = await auditIt({ isFull });
      expect({ agrees, batches: ledger.batches, ranked: batches.ranked }).toEqual({
        agrees: true,
        batches: messages.length,
        ranked: ledger.changes,
      });
    }
  }
  const totals = await readTotals(database.writer, "any");
  const ids = messages.map(({ batch }) => batch);
  const { hash } = (await auditIt({ isFull: true })).boards;
  await redis.unlink(await redis.keys(`${namespace}:{any:*`));
  const rebuilt = await rebuild({ domain, database, rankings, endpoint: "write" });
  expect(rebuilt).toMatchObject({ name: "rebuilt", batches: messages.length });
  // Late copies of all messages do nothing.
  for (const message of messages) expect(await rankings.rank("any", message)).toBe(false);
  expect(await findMissing(database.writer, "any", ids)).toEqual([]);
  expect(await readTotals(database.writer, "any")).toEqual(totals);
  for (const isFull of [false, true]) expect((await auditIt({ isFull })).boards.hash).toBe(hash);
});

test("a count stops at 2^53 - 1 in Redis, in folded counts and in what rows add up to", async () => {
  const { store, foldAll: foldAllOf, audit: auditIt } = await open("large");
  for (const quantityMin of [2 ** 53 - 9, 1]) {
    await store(60, { quantityMin });
    for (const isFull of [false, true]) expect((await auditIt({ isFull })).agrees).toBe(true);
    await foldAllOf();
  }
  for (const isFull of [false, true]) expect((await auditIt({ isFull })).agrees).toBe(true);
});

test("young batches stay, and nothing is folded before a batch is old enough", async () => {
  const { domain, store, foldWith, inLedger } = await open("young");
  await store(3);
  const first = "WHERE domain = 'young' ORDER BY epoch, producer, sequence LIMIT 1";
  await database.writer.query(`UPDATE batches SET stored_at = stored_at - 10000000 ${first}`);
  await nextEpoch("young");
  await foldWith({ keptMs: 6_000_000, waitMs: 12_000_000 });
  expect(await inLedger()).toBe(3);
  await foldWith({ keptMs: 6_000_000, waitMs: 9_000_000 });
  expect(await inLedger()).toBe(2);
  // The clock was a day ahead, which lasts no day.
  await database.writer.query(`UPDATE batches SET stored_at = stored_at + 86400000 ${first}`);
  await nextEpoch("young");
  await foldWith({ keptMs: 6_000_000, waitMs: 9_000_000 });
  expect(await inLedger()).toBe(1);
  await rebuild({ domain, database, rankings, endpoint: "write" });
  expect((await rankings.top("young", "sales", 1)).asOf).toBeLessThanOrEqual(Date.now());
});

test("a batch without a mark is not folded, and neither is one that has lost a row", async () => {
  const unmarked = await open("unmarked");
  await unmarked.store(3, { isRanked: false });
  await nextEpoch("unmarked");
  await expect(unmarked.foldWith({})).rejects.toThrow(/is not ranked/);
  const miscounted = await open("miscounted");
  await miscounted.store(3);
  await database.writer.query(`DELETE FROM ${miscounted.table} LIMIT 1`);
  await nextEpoch("miscounted");
  await expect(miscounted.foldWith({})).rejects.toThrow(/rows, its ledger entry says/);
  expect([await unmarked.inLedger(), await miscounted.inLedger()]).toEqual([3, 3]);
  expect((await miscounted.audit()).agrees).toBe(false);
});

test("nothing is folded while a process builds a generation, also one that begins meanwhile", async () => {
  const { store, foldWith, inLedger } = await open("built");
  await store(3);
  await nextEpoch("built");
  const generation = await build("built");
  await foldWith({});
  let asked = 0;
  await foldWith({ rankings: { ...rankings, isBuilding: async () => ++asked > 1 } });
  expect([await inLedger(), asked]).toEqual([3, 2]);
  await generation.release();
  await foldWith({});
  expect(await inLedger()).toBe(0);
});

test("nothing is folded by rankings that lack what is folded, or when Redis restarts meanwhile", async () => {
  const { store, foldWith, inLedger } = await open("older");
  await store(3);
  await nextEpoch("older");
  let started = 0;
  const instance = async () => String(++started);
  await expect(foldWith({ rankings: { ...rankings, instance } })).rejects.toThrow(/Redis was restarted/);
  await foldWith({});
  await store(3);
  await nextEpoch("older");
  // As of a moment before the first fold.
  await rankings.noteFolded("older", 0);
  await expect(foldWith({})).rejects.toThrow(/lack batches that are folded/);
  expect(await inLedger()).toBe(3);
});

test("no epoch is opened in a database without the one that the rankings have noted", async () => {
  const { domain, store, foldAll: foldAllOf, inLedger } = await open("foreign");
  await store(3);
  const epochs = () => readEpochs(database.writer, "foreign");
  const before = await epochs();
  await rankings.noteEpoch("foreign", { epoch: before.newest.epoch + 1, token: "lost" }, []);
  const waiting = Promise.withResolvers<void>();
  let waits = 0;
  const folding = foldAllOf(() => void (++waits === 2 && waiting.resolve()));
  await waiting.promise;
  expect((await epochs()).newest).toEqual(before.newest);
  // As the auditor does.
  await rebuild({ domain, database, rankings, endpoint: "write" });
  await folding;
  expect(await inLedger()).toBe(0);
});

test("two processes that fold at once fold each batch once", async () => {
  const { store, foldAll: foldAllOf, inLedger, audit: auditIt } = await open("twice");
  await store(60);
  await Promise.all([foldAllOf(), foldAllOf(), foldAllOf()]);
  expect(await inLedger()).toBe(0);
  expect((await auditIt({ isFull: true })).agrees).toBe(true);
});

test("batches whose rows have many counts are folded in several steps", async () => {
  const { domain, store, table, foldWith } = await open("wide");
  await store(10);
  // A million counts in each row.
  const items = JSON.stringify(Array.from({ length: 1000 }, (_, item) => [item, 1]));
  await database.writer.query(`UPDATE ${table} SET store = id, items = ?`, [items]);
  await nextEpoch("wide");
  const series = Array.from({ length: 1000 }, (_, n) => ({ name: String(n), by: () => 1 }));
  const wide = domain.recount.boards.map((kind) => ("mirrored" in kind ? { ...kind, seriesOf: () => series } : kind));
  const steps: unknown[] = [];
  const transaction: Database["transaction"] = (work) =>
    database.transaction((tx) => {
      const execute: typeof tx.execute = async (_, values) => {
        steps.push(values?.[1]);
        throw new FoldedMeanwhile("not in this test");
      };
      return work({ ...tx, execute });
    });
  await foldWith({
    domain: { ...domain, recount: { ...domain.recount, boards: wide } },
    database: { ...database, transaction },
  });
  expect(steps).toEqual([expect.toSatisfy((batches: number) => batches > 1 && batches < 10)]);
});

test("rankings have the number of all folded batches, although another process folds fewer at once", async () => {
  const { store, foldWith } = await open("fewer");
  await store(3);
  await nextEpoch("fewer");
  const { closedTo: until } = await readEpochs(database.writer, "fewer");
  await store(3);
  await nextEpoch("fewer");
  let other: Promise<void> | undefined;
  const noteFolded = async (domain: string, batches: number): Promise<void> => {
    await Promise.race([(other ??= foldWith({})), delay(300)]);
    await rankings.noteFolded(domain, batches);
  };
  await foldWith({ until, rankings: { ...rankings, noteFolded } });
  await other;
  const { batches } = await readFold(database.writer, "fewer");
  expect(await rankings.folded("fewer")).toBe(batches);
});

test("a full audit finds folded counts that differ from the rows, where the boards agree with them", async () => {
  const { domain, store, foldAll: foldAllOf, audit: auditIt } = await open("wrong");
  await store(20);
  await foldAllOf();
  const ofStore = "WHERE domain = 'wrong' AND member = 1 LIMIT 1";
  // More than 20 batches can sell, so it differs from what was there.
  await database.writer.query(`UPDATE folded_series SET counts = '[[1,1000]]' ${ofStore}`);
  expect((await auditIt()).boards.differences.count).toBeGreaterThan(0);
  await rebuild({ domain, database, rankings, endpoint: "write" });
  expect((await auditIt()).boards.differences.count).toBe(0);
  expect((await auditIt({ isFull: true })).contradictions.first).toEqual([
    "the folded counts of 1 differ from its rows",
  ]);
});

test.each(["", "netSales"])(
  "a full audit compares a measure of all time after a removal, without the days whose rows are removed: %j",
  async (measure) => {
    const domain = `removed ${measure}`;
    const [removed, kept] = ["20260131", "20260201"].map((day) => (measure === "" ? day : `${day}/${measure}`));
    const addTo = (rows: FoldedSums, series = "", entries: Entries) => rows.add(series, "1", entries, byOfCount);
    const audited = async (counts: string, ...earlier: readonly string[]) => {
      const folded = [
        [measure, counts],
        [removed, "[[0,10]]"],
        [kept, "[[0,20],[2,5]]"],
      ].map(([series = "", text = ""]) => [domain, series, 1, 0, text]);
      await database.transaction((transaction) =>
        transaction.upsert(
          "INSERT INTO folded_series (domain, series, member, slice, counts) VALUES ? ON DUPLICATE KEY UPDATE counts = VALUES(counts)",
          folded,
        ),
      );
      const rows = new FoldedSums();
      // A correction stays when its month is removed.
      for (const series of [measure, removed]) addTo(rows, series, [[0, -3]]);
      for (const series of [measure, kept]) {
        addTo(rows, series, [[0, 20]]);
        addTo(rows, series, [[2, 5]]);
      }
      const found = new Findings<string>();
      const months = [...earlier, "2026-01"].map((month) => ({ month }));
      const audit = (snapshot: SqlSnapshot) =>
        auditFolded(snapshot, domain, { rows, removed: months }, found, () => undefined);
      await database.snapshot("write", audit);
      return found.first;
    };
    const differs = [`the folded counts of ${measure === "" ? "" : `${measure}/`}1 differ from its rows`];
    expect(await audited("[[0,30],[2,5]]")).toEqual([]);
    expect(await audited("[[0,31],[2,5]]")).toEqual(differs);
    // Of a month that was removed before there were folded counts, the quantity of all time alone has the counts.
    expect(await audited("[[0,31],[2,5]]", "2025-11")).toEqual(measure === "" ? [] : differs);
  },
);

test("an audit says which series it compared: not those that the last message lacked", async () => {
  const { store, audit: auditIt, messages } = await open("series");
  expect(await auditIt()).toMatchObject({ agrees: true, series: ["all", "day"] });
  await store(1, { isRanked: false });
  const [{ series: _, ...without } = expect.fail()] = messages;
  await rankings.rank("series", without);
  expect(await auditIt()).toMatchObject({ agrees: true, series: ["all"] });
});

test("a rebuild whose snapshot lacks batches that are folded by now reads the write endpoint", async () => {
  const { domain, store, foldAll: foldAllOf, audit: auditIt } = await open("behind");
  await store(10);
  await database.snapshot("write", async (old) => {
    await store(10);
    await foldAllOf();
    const snapshot: Database["snapshot"] = (endpoint, work) =>
      endpoint === "read" ? work(old) : database.snapshot(endpoint, work);
    await rebuild({ domain, database: { ...database, snapshot }, rankings });
  });
  expect((await auditIt({ isFull: true })).agrees).toBe(true);
});

test("totals are the sums of one domain, and 0 without batches, none in a statement that reads the whole ledger", async () => {
  const { domain, store, foldWith, audit: auditIt } = await open("summed");
  expect((await auditIt()).ledger).toEqual({ batches: 0, events: 0, changes: 0, refused: 0, newest: 0 });
  await store(5);
  await nextEpoch("summed");
  await foldWith({});
  await store(5);
  await database.writer.query("UPDATE batches SET events = events + 3, refused = 2 WHERE domain = 'summed'");
  const asked: string[] = [];
  const listenedTo = (reader: SqlReader): SqlReader => ({
    query: (sql, values) => {
      asked.push(sql);
      return reader.query(sql, values);
    },
  });
  const listened: Database = {
    ...database,
    reader: listenedTo(database.reader),
    writer: listenedTo(database.writer),
    snapshot: (endpoint, work, how) =>
      database.snapshot(endpoint, (snapshot) => work({ ...snapshot, ...listenedTo(snapshot) }), how),
  };
  const totals = await readTotals(database.writer, "summed");
  expect((await auditIt({ database: listened })).ledger).toEqual(totals);
  const rebuilt = await rebuild({ domain, database: listened, rankings, endpoint: "write" });
  expect(rebuilt).toMatchObject({ batches: totals.batches });
  await (await lookAt({ ...lookOptions("summed"), database: listened })()).underWay(0);
  expect(asked.filter((sql) => /FROM batches/.test(sql)).length).toBeGreaterThan(5);
  expect(asked.filter((sql) => /(COUNT|SUM)\([^]*FROM batches/.test(sql))).toEqual([]);
});

const lookOptions = (name: string) => ({
  domains: [{ name, store: {} }],
  namespace: "tally",
  rankings,
  queueDepth: async () => 0,
  endpoint: "read" as const,
});

test("a look sees each commit, whatever its time, no turn of an epoch, and what the read endpoint lacks", async () => {
  const { store } = await open("looked");
  const storeAtOne = async () => {
    await store(1);
    await database.writer.query("UPDATE batches SET stored_at = 1 WHERE domain = 'looked'");
  };
  const { writer } = database;
  const look = lookAt({ ...lookOptions("looked"), database: { writer, reader: writer } });
  const progress = async () => (await look()).progress;
  await storeAtOne();
  const first = await progress();
  for (let turns = 0; turns < 6; turns++) await nextEpoch("looked");
  expect(await progress()).toBe(first);
  await storeAtOne();
  expect(await progress()).not.toBe(first);
  await database.snapshot("write", async (reader) => {
    await storeAtOne();
    const lookBehind = lookAt({ ...lookOptions("looked"), database: { writer, reader } });
    expect(await (await lookBehind()).underWay(60_000)).toEqual(["the read endpoint is behind the write endpoint"]);
  });
  expect(await (await look()).underWay(60_000)).toEqual([]);
});

test("the ledger and what is folded are read range by range, each row once", async () => {
  const { store, foldAll: foldAllOf } = await open("ranges");
  for (let round = 0; round < 2; round++) {
    await foldAllOf();
    await store(20, { quantityMin: 1 });
  }
  await database.snapshot("write", async (snapshot) => {
    for (const [table, ...series] of [[rowsOfLedger], [foldedMarks], [foldedCounts, ""]] as const) {
      const stream = vi.fn<SqlSnapshot["stream"]>((sql, values) => snapshot.stream(sql, values));
      const read = async (first: number): Promise<readonly string[]> => {
        const found: string[] = [];
        for await (const rows of readTables({ ...snapshot, stream }, [{ ...table, first }], ["ranges", ...series]))
          found.push(...rows.map((row) => JSON.stringify(row)));
        return found.toSorted();
      };
      const atOnce = await read(1000);
      expect([stream.mock.calls.length, new Set(atOnce).size]).toEqual([1, atOnce.length]);
      expect(await read(1)).toEqual(atOnce);
      expect(stream.mock.calls.length).toBeGreaterThan(2);
    }
  });
});
