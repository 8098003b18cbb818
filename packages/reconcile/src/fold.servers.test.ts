import { randomBytes, randomInt } from "node:crypto";
import { ownDatabase } from "@tally/database/own-database";
import { addDomains, closeEarlier, deadLetterMigrations, enter, findMissing } from "@tally/database";
import { joinEpoch, ledgerMigrations, listBatches, openEpoch, placeAt, readEpochs } from "@tally/database";
import { readTotals, type Database } from "@tally/database";
import { encodeRankingMessage, Moves, type Domain, type RankingMessage } from "@tally/contract";
import { encodeMoves } from "@tally/redis";
import { ownRankings } from "@tally/redis/own-rankings";
import { expect, test, vi } from "vitest";
import { audit } from "./audit.ts";
import { fold, foldAll, type FoldOptions } from "./fold.ts";
import { rebuild } from "./rebuild.ts";

const database = ownDatabase([ledgerMigrations, "ledger"], [deadLetterMigrations, "dead-letters"]).connect();
const mirrored = { prefix: "item:", mirrorPrefix: "store:" };
const columns = "store, items, producer, sequence";

// Audit, fold and rebuild read only these two fields. Each domain has its own table.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const domainOf = (name: string) => ({ name, recount: recountOf(`sales_${name}`) }) as unknown as Domain;

const recountOf = (table: string): Domain["recount"] => ({
  ids: `SELECT id FROM ${table}`,
  boards: [
    {
      mirrored,
      rows: [
        {
          select: `SELECT ${columns} FROM ${table} WHERE id > ? AND id <= ?`,
          selectEnd: `SELECT id AS value FROM ${table} WHERE id > ? ORDER BY id LIMIT 1 OFFSET ?`,
          bounds: [0, 2 ** 31],
        },
      ],
      rowsOfBatches: [`SELECT ${columns} FROM ${table} WHERE producer = ? AND sequence BETWEEN ? AND ?`],
    },
  ],
});

const names = ["any", "young", "unmarked", "miscounted", "built", "older", "twice", "wrong", "behind"];
const { redis, namespace, rankings, build } = ownRankings(1, names.map(domainOf));

/** Closes the newest epoch. */
async function nextEpoch(domain: string): Promise<void> {
  await openEpoch(database, domain, await readEpochs(database.writer, domain));
  await closeEarlier(database, domain, await readEpochs(database.writer, domain));
}

/** A new domain with three producers. */
async function open(name: string) {
  const domain = domainOf(name);
  const table = `sales_${name}`;
  await database.writer.query(
    `CREATE TABLE ${table} (id INT AUTO_INCREMENT PRIMARY KEY, store BIGINT, items TEXT, producer BINARY(8), sequence INT)`,
  );
  await database.transaction((transaction) => addDomains(transaction, [name]));
  // A snapshot that is older than a table fails.
  await vi.waitFor(() => database.reader.query(`SELECT id FROM ${table}`), { timeout: 30_000, interval: 50 });
  await rebuild({ domain, database, rankings });
  const producers = Array.from({ length: 3 }, () => randomBytes(8).toString("hex"));
  const next = [0, 8190, 0];
  const messages: RankingMessage[] = [];
  const options = { domain, database, rankings };
  return {
    ...options,
    table,
    messages,
    /** Stores batches of some sales each, and ranks them unless told otherwise. */
    store: async (count: number, { isRanked = true } = {}): Promise<void> => {
      for (let n = 0; n < count; n++) {
        const at = randomInt(producers.length);
        const batch = { producer: producers[at] ?? "", sequence: (next[at] = (next[at] ?? 0) + 1) };
        const moves = new Moves();
        const sales = Array.from(
          { length: randomInt(1, 4) },
          () => [randomInt(3), randomInt(20), randomInt(1, 9)] as const,
        );
        for (const [shop, item, quantity] of sales) moves.addMirrored(mirrored, String(item), String(shop), quantity);
        const producer = Buffer.from(batch.producer, "hex");
        const rows = sales.map(([shop, item, quantity]) => [shop, `[[${item},${quantity}]]`, producer, batch.sequence]);
        const message = { batch, storedAt: 0, ...encodeMoves(moves, 1) };
        await database.transaction(async (transaction) => {
          const { epoch, now: storedAt } = await joinEpoch(transaction, name);
          await transaction.insert(`INSERT INTO ${table} (${columns}) VALUES ?`, rows);
          const counted = { events: rows.length, changes: rows.length, refused: 0 };
          const rankingMessage = encodeRankingMessage(message);
          const entry = { batch, domain: name, bodyHash: Buffer.alloc(8), ...counted, epoch, storedAt, rankingMessage };
          await enter(transaction, [entry]);
        });
        if (isRanked) await rankings.rank(name, message);
        messages.push(message);
      }
    },
    foldAll: () => foldAll(options, () => undefined),
    foldWith: async (changed: Partial<FoldOptions>) =>
      fold({ ...options, until: (await readEpochs(database.writer, name)).closedTo, keptMs: 0, waitMs: 0, ...changed }),
    inLedger: async () =>
      (await listBatches(database.writer, name, placeAt(0), Number.MAX_SAFE_INTEGER, 10_000)).length,
    audit: (isFull: boolean) => audit({ ...options, endpoint: "write", isFull }),
  };
}

test("counts, marks and totals stay as they were, whatever is folded when; what was lost is rebuilt from them", async () => {
  const { domain, store, foldWith, inLedger, audit: auditIt, messages } = await open("any");
  for (let round = 0; round < 4; round++) {
    await store(15);
    await nextEpoch("any");
    await store(5);
    await foldWith({});
    expect(await inLedger()).toBe(5);
    for (const isFull of [false, true]) {
      const { agrees, ledger, batches } = await auditIt(isFull);
      expect({ agrees, batches: ledger.batches, ranked: batches.ranked }).toEqual({
        agrees: true,
        batches: messages.length,
        ranked: ledger.changes,
      });
    }
  }
  const totals = await readTotals(database.writer, "any");
  const ids = messages.map(({ batch }) => batch);
  const { hash } = (await auditIt(true)).boards;
  await redis.unlink(await redis.keys(`${namespace}:{any:*`));
  expect(await rebuild({ domain, database, rankings })).toMatchObject({ name: "rebuilt", batches: messages.length });
  // Late copies of all messages do nothing.
  for (const message of messages) expect(await rankings.rank("any", message)).toBe(false);
  expect(await findMissing(database.writer, "any", ids)).toEqual([]);
  expect(await readTotals(database.writer, "any")).toEqual(totals);
  for (const isFull of [false, true]) expect((await auditIt(isFull)).boards.hash).toBe(hash);
});

test("young batches stay, and nothing is folded before a batch is old enough", async () => {
  const { store, foldWith, inLedger } = await open("young");
  await store(3);
  const first = "WHERE domain = 'young' ORDER BY epoch, producer, sequence LIMIT 1";
  await database.writer.query(`UPDATE batches SET stored_at = stored_at - 100000 ${first}`);
  await nextEpoch("young");
  await foldWith({ keptMs: 60_000, waitMs: 120_000 });
  expect(await inLedger()).toBe(3);
  await foldWith({ keptMs: 60_000, waitMs: 90_000 });
  expect(await inLedger()).toBe(2);
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
  expect((await miscounted.audit(false)).agrees).toBe(false);
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

test("two processes that fold at once fold each batch once", async () => {
  const { store, foldAll: foldAllOf, inLedger, audit: auditIt } = await open("twice");
  await store(60);
  await Promise.all([foldAllOf(), foldAllOf(), foldAllOf()]);
  expect(await inLedger()).toBe(0);
  expect((await auditIt(true)).agrees).toBe(true);
});

test("a full audit finds folded counts that differ from the rows, where the boards agree with them", async () => {
  const { domain, store, foldAll: foldAllOf, audit: auditIt } = await open("wrong");
  await store(20);
  await foldAllOf();
  const onlyItem = "WHERE domain = 'wrong' AND member = 1 LIMIT 1";
  await database.writer.query(`UPDATE folded_counts SET counts = '[[1,1]]' ${onlyItem}`);
  expect((await auditIt(false)).boards.differences.count).toBeGreaterThan(0);
  await rebuild({ domain, database, rankings, endpoint: "write" });
  expect((await auditIt(false)).boards.differences.count).toBe(0);
  expect((await auditIt(true)).contradictions.first).toEqual(["the folded counts of 1 differ from its rows"]);
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
  expect((await auditIt(true)).agrees).toBe(true);
});
