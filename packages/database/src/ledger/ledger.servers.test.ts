import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { ownDatabase } from "../connection/own-database.test-kit.ts";
import type { SqlReader } from "@tally/contract";
import { expect, onTestFinished, test } from "vitest";
import { enter, ledgerMigrations, listBatches, newestStored, nextStored, placeAt } from "./ledger.ts";
import type { LedgerEntry, LedgerPlace } from "./ledger.ts";
import { findFolded, foldBatches, readFold } from "./folds.ts";
import { addDomains, keepShards, readShards } from "./ledger.ts";

const { connect } = ownDatabase([ledgerMigrations, "ledger"]);

function entryOf(domain: string, more: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    batch: { producer: randomBytes(8).toString("hex"), sequence: 0xffffffff },
    domain,
    bodyHash: randomBytes(8),
    events: 5,
    changes: 3,
    refused: 1,
    epoch: 1,
    storedAt: 1000,
    rankingMessage: randomBytes(100_000),
    ...more,
  };
}

test("pages list every batch once in the order of epochs, whatever the clock said, up to an epoch", async () => {
  const database = connect();
  const producers = ["00000000000000aa", "00000000000000bb"];
  const places = [10, 11, 12].flatMap((epoch) =>
    producers.flatMap((producer) => [0, 1].map((at) => ({ producer, sequence: 2 * epoch + at, epoch }))),
  );
  const entries = places.map(({ epoch, ...batch }) => entryOf("paged", { batch, epoch, storedAt: 1000 - epoch }));
  await database.transaction((transaction) => enter(transaction, [...entries.toReversed(), entryOf("other")]));
  const listed: LedgerPlace[] = [];
  for (let place: LedgerPlace | undefined = placeAt(10); place !== undefined; place = listed[listed.length - 1]) {
    const page: readonly LedgerPlace[] = await listBatches(database.writer, "paged", place, 11, 3);
    if (page.length === 0) break;
    listed.push(...page.map(({ producer, sequence, epoch }) => ({ producer, sequence, epoch })));
  }
  expect(listed).toEqual(places.filter(({ epoch }) => epoch <= 11));
  const plans: unknown[] = [];
  const query: SqlReader["query"] = async (sql, values) => {
    plans.push(...(await database.writer.query(`EXPLAIN ${sql}`, values)));
    return [];
  };
  await listBatches({ query }, "paged", listed[0] ?? placeAt(10), 11, 3);
  // By all columns of the place: an epoch may have a million batches.
  expect(plans).toMatchObject([{ type: "range", key: "domain_epoch", key_len: "54" }]);
});

test("the newest batch of each domain, and the first one after a time", async () => {
  const database = connect();
  const entries = [10, 30, 20].map((storedAt, sequence) =>
    entryOf("newest-a", { batch: { producer: "00000000000000a1", sequence }, storedAt }),
  );
  const other = entryOf("newest-b", { batch: { producer: "00000000000000a2", sequence: 0 }, storedAt: 5 });
  await database.transaction((transaction) => enter(transaction, [...entries, other]));
  const newest = await newestStored(database.writer, ["newest-a", "newest-b", "newest-c"]);
  expect(newest).toEqual(
    new Map([
      ["newest-a", 30],
      ["newest-b", 5],
    ]),
  );
  const next = (at: number) => nextStored(database.writer, "newest-a", at);
  expect([await next(0), await next(10), await next(30)]).toEqual([10, 20, undefined]);
});

test("the number of shards of a domain is kept; adding the domain again leaves it as it is", async () => {
  const database = connect();
  const add = () => database.transaction((transaction) => addDomains(transaction, ["kept", "not built"]));
  const read = async () => [await readShards(database.writer, "kept"), await readShards(database.writer, "not built")];
  await add();
  expect(await read()).toEqual([undefined, undefined]);
  await database.transaction((transaction) => keepShards(transaction, "kept", 4));
  await add();
  expect(await read()).toEqual([4, undefined]);
  expect(await readShards(database.writer, "unknown")).toBeUndefined();
  const setFrom = (day: number) => database.writer.query("UPDATE ledger_folds SET series_from = ?", [day]);
  onTestFinished(async () => void (await setFrom(0)));
  await setFrom(20_261_126);
  await expect(add()).rejects.toThrow("kept: an early build folded batches without their days");
});

test("folding lets other work run between two slices, and adds to what is folded", async () => {
  const [database, domain] = [connect(), "folded"];
  await database.transaction((transaction) => addDomains(transaction, [domain]));
  let [turns, between] = [0, 0];
  const tick = () => {
    turns++;
    timer = setImmediate(tick);
  };
  let timer = setImmediate(tick);
  onTestFinished(() => clearImmediate(timer));
  for (const count of [1, 2]) {
    await database.transaction(async (transaction) => {
      const entry = entryOf(domain);
      await enter(transaction, [entry]);
      const cells = Array.from({ length: 16 }, (_, item) => [String(item), count] as const);
      const counts = () => ["1", "2"].map((member) => ({ series: "", member, cells }));
      const query: typeof transaction.query = async (...of) => {
        const rows = await transaction.query<never>(...of);
        turns = 0;
        return rows;
      };
      const upsert: typeof transaction.upsert = (...of) => {
        between = turns;
        return transaction.upsert(...of);
      };
      await foldBatches({ ...transaction, query, upsert }, { domain, batches: [{ ...entry, ...entry.batch }], counts });
    });
  }
  expect(between).toBeGreaterThan(10);
  const rows = await database.writer.query("SELECT counts FROM folded_series WHERE domain = ? AND slice = 0", [domain]);
  expect(rows).toEqual([{ counts: "[[0,3],[8,3]]" }, { counts: "[[0,3],[8,3]]" }]);
});

test("two transactions that fold other batches at once add to the same counts", async () => {
  const [database, domain] = [connect(), "folded at once"];
  await database.transaction((transaction) => addDomains(transaction, [domain]));
  const ids = [0, 1, 2, 3].map((sequence) => ({ producer: "00000000000000f0", sequence }));
  const entries = ids.map((batch) => entryOf(domain, { batch }));
  await database.transaction((transaction) => enter(transaction, entries));
  const folds = [0, 2].map(async (first) => {
    await delay(first * 50);
    // Of two, so that no index is scanned, which would wait too.
    const batches = entries.slice(first, first + 2).map((entry) => Object.assign(entry, entry.batch));
    const counts = () => [{ series: "", member: "1", cells: [["8", 2]] as const }];
    await database.transaction(async (transaction) => {
      await foldBatches(transaction, { domain, batches, counts });
      await delay(300);
    });
  });
  await Promise.all(folds);
  const rows = await database.writer.query("SELECT counts FROM folded_series WHERE domain = ?", [domain]);
  expect([rows, (await readFold(database.writer, domain)).batches]).toEqual([[{ counts: "[[8,4]]" }], 4]);
  expect((await findFolded(database.writer, domain, ids)).size).toBe(4);
});

test("a slice that is too large for one statement is folded in parts, and what is added later is found in them", async () => {
  const [database, domain] = [connect(), "large"];
  await database.transaction((transaction) => addDomains(transaction, [domain]));
  const items = Array.from({ length: 250_000 }, (_, n) => String(16 * (2 ** 49 - n - 1)));
  const series = "20261128";
  const lengths: unknown[] = [];
  for (const count of [1, -1]) {
    const entry = entryOf(domain);
    // Then all but the first are 0: no part keeps them.
    const cells = items.slice(count === -1 ? 1 : 0).map((item) => [item, count] as const);
    await database.transaction(async (transaction) => {
      await enter(transaction, [entry]);
      const counts = () => [{ series, member: "1", cells }];
      await foldBatches(transaction, { domain, batches: [{ ...entry, ...entry.batch }], counts });
    });
    const select = "SELECT slice, counts FROM folded_series WHERE domain = ? ORDER BY slice";
    const rows = await database.writer.query<{ slice: number; counts: string }>(select, [domain]);
    const kept = new Map(rows.flatMap((row): readonly [number, number][] => JSON.parse(row.counts)));
    lengths.push([rows.map(({ slice }) => slice), kept.size, kept.get(Number(items[0]))]);
  }
  const slices = [0, 16, 32];
  expect(lengths).toEqual([
    [slices, 250_000, 1],
    [slices, 1, 1],
  ]);
});
