import { randomBytes } from "node:crypto";
import { ownDatabase } from "@tally/database/own-database";
import { keyedRead, type SqlReader } from "@tally/contract";
import { beforeAll, expect, test, vi } from "vitest";
import { groupReads as readsOf, type GroupReadOptions } from "./group-reads.ts";

const lock = randomBytes(6).toString("hex");
const own = ownDatabase();
const database = own.connect({ readUrl: own.writeUrl, readConnections: 4, queryTimeoutMs: 120_000 });

beforeAll(async () => {
  await database.transaction(async (transaction) => {
    await transaction.execute(`
      CREATE TABLE sales (shop INT, item VARCHAR(20) COLLATE utf8mb4_bin, n INT, KEY (shop, item)) ENGINE = InnoDB`);
    const rows = Array.from({ length: 400 }, (_, n) => [n, `item/${n}`, 1]);
    await transaction.insert("INSERT INTO sales (shop, item, n) VALUES ?", [...rows, [1, "item/1", 41], [1, "x", 5]]);
  });
});

type Sale = Readonly<{ shop: number; item: string; n: number }>;
const sumOf = (rows: readonly Sale[]): number => rows.reduce((sum, { n }) => sum + n, 0);
const sold = keyedRead<readonly [shop: number, item: string], Sale, number>({
  select: "SELECT shop, item, n FROM sales WHERE (shop, item) IN (?)",
  key: ["shop", "item"],
  keysMax: 100,
  ofRows: sumOf,
});
/** A statement that reads, and returns only when the lock is free, or after longer than any test holds it. */
const soldHeld = keyedRead<readonly [shop: number], Sale, number>({
  select: `
    SELECT shop, item, n, GET_LOCK('${lock}', 60) + RELEASE_LOCK('${lock}') AS held FROM sales WHERE shop IN (?)`,
  key: ["shop"],
  keysMax: 100,
  ofRows: sumOf,
});

type Part = Readonly<{ name: string; other: string; n: number; bytes: Buffer }>;
const manyParts: readonly (readonly [string, string, number, Buffer])[] = [
  ["a", "b", 1, Buffer.from([0, 0])],
  ["A", "b", 1, Buffer.from([0, 0])],
  ["ä", "b", 1, Buffer.from([0, 0])],
  ["a", "b", 1, Buffer.from([0, 0xff])],
  ["a", "b", Number.MAX_SAFE_INTEGER, Buffer.from([0, 0])],
  ["a,b", "c", 1, Buffer.from([0x27, 0x5c])],
  ["a", "b,c", 1, Buffer.from([0x27, 0x5c])],
  ['a","b', "c", 1, Buffer.from([0x27, 0x5c])],
  ["a", 'b","c', 1, Buffer.from([0x27, 0x5c])],
  ["'\\ 🙂", "?", 0, Buffer.from([0xff, 0xff])],
];

/** `keys`: the number of keys in each statement; `reported`: the arguments of onStatement. */
function groupReads(options: Partial<GroupReadOptions> = {}) {
  const keys: number[] = [];
  const reported: number[] = [];
  const { reader }: { readonly reader: SqlReader } = database;
  const read = readsOf({
    reader: {
      query(sql, values) {
        const [list] = values ?? [];
        keys.push(Array.isArray(list) ? list.length : 0);
        return reader.query(sql, values);
      },
    },
    waitingMax: 1000,
    waitMs: 60_000,
    onStatement: (count) => reported.push(count),
    ...options,
  });
  return { keys, reported, read };
}

/** Runs `work` while statements of `soldHeld` do not return. */
const whileHeld = (work: () => Promise<void>): Promise<void> =>
  database.snapshot("write", async (other) => {
    await other.query("SELECT GET_LOCK(?, 10)", [lock]);
    try {
      await work();
    } finally {
      await other.query("SELECT RELEASE_LOCK(?)", [lock]);
    }
  });
const untilHeld = (statements: number): Promise<void> =>
  vi.waitFor(async () => {
    const [row] = await database.writer.query<{ held: number }>(
      "SELECT COUNT(*) AS held FROM information_schema.processlist WHERE db = ? AND state = 'User lock'",
      [new URL(own.writeUrl).pathname.slice(1)],
    );
    expect(row?.held).toBe(statements);
  }, 30_000);

test("each reader gets the rows of its key, and nothing for a key without rows", async () => {
  const { read } = groupReads();
  const keyOf = (shop: number, item: string) => [shop, item] as const;
  const wanted = [keyOf(1, "item/1"), keyOf(1, "x"), keyOf(2, "item/2"), keyOf(2, "x"), keyOf(1, "X")];
  expect(await Promise.all(wanted.map((key) => read(sold, key)))).toEqual([42, 5, 1, 0, 0]);
});

test("a key of any values finds its rows: bytes, large numbers, text that could be several keys", async () => {
  await database.transaction(async (transaction) => {
    await transaction.execute(`
      CREATE TABLE parts (
        name VARCHAR(20) COLLATE utf8mb4_bin, other VARCHAR(20) COLLATE utf8mb4_bin,
        n BIGINT UNSIGNED, bytes BINARY(2))`);
    await transaction.insert("INSERT INTO parts (name, other, n, bytes) VALUES ?", manyParts);
  });
  const parts = keyedRead<readonly [name: string, other: string, n: number, bytes: Buffer], Part, number>({
    select: "SELECT name, other, n, bytes FROM parts WHERE (name, other, n, bytes) IN (?)",
    key: ["name", "other", "n", "bytes"],
    keysMax: 100,
    ofRows: (rows) => rows.length,
  });
  const { read, keys } = groupReads();
  const missing = ["a", "b", 2, Buffer.from([0, 0])] as const;
  expect(await Promise.all([...manyParts, missing].map((key) => read(parts, key)))).toEqual([
    ...manyParts.map(() => 1),
    0,
  ]);
  expect(keys).toEqual([manyParts.length + 1]);
});

test("many readers share few statements, and a key of several readers is in them once", async () => {
  const { read, keys, reported } = groupReads();
  const pending = Array.from({ length: 900 }, (_, n) => read(sold, [n % 300, `item/${n % 300}`]));
  const found = await Promise.all(pending);
  expect(found.filter((n) => n === 1)).toHaveLength(897);
  expect(keys).toEqual([100, 100, 100]);
  expect(reported).toEqual(keys);
});

test("reads during statements share the next statement", async () => {
  const { read, keys } = groupReads();
  const pending: Promise<number>[] = [];
  await whileHeld(async () => {
    for (const shop of [7, 8]) {
      pending.push(read(soldHeld, [shop]));
      await untilHeld(pending.length);
    }
    for (let shop = 10; shop < 60; shop++) {
      pending.push(read(soldHeld, [shop]));
      await new Promise(setImmediate);
    }
  });
  await Promise.all(pending);
  expect(keys).toEqual([1, 1, 50]);
});

test("a reader of a key that is being read sees all that was written before its read", async () => {
  const { read } = groupReads();
  const pending: Promise<number>[] = [];
  await whileHeld(async () => {
    pending.push(read(soldHeld, [9]));
    await untilHeld(1);
    await database.transaction((transaction) => transaction.execute("UPDATE sales SET n = 2 WHERE shop = 9"));
    pending.push(read(soldHeld, [9]));
  });
  expect(await Promise.all(pending)).toEqual([1, 2]);
});

test("a failed statement rejects its readers, and no later reader", async () => {
  const { read, keys } = groupReads();
  const late = keyedRead({
    select: "SELECT id FROM created_late WHERE id IN (?)",
    key: ["id"],
    keysMax: 100,
    ofRows: (rows: readonly { readonly id: number }[]) => rows.length,
  });
  const results = await Promise.allSettled([1, 2, 2].map((id) => read(late, [id])));
  const failed = { status: "rejected", reason: expect.objectContaining({ code: "DATABASE_STATEMENT" }) };
  expect(results).toEqual([failed, failed, failed]);
  expect(keys).toEqual([2]);
  await database.transaction((transaction) => transaction.execute("CREATE TABLE created_late SELECT 2 AS id"));
  expect(await Promise.all([1, 2].map((id) => read(late, [id])))).toEqual([0, 1]);
});

test("when too many readers wait, further ones are rejected until some have their rows", async () => {
  const { read } = groupReads({ waitingMax: 3 });
  const pending: Promise<number>[] = [];
  await whileHeld(async () => {
    pending.push(read(soldHeld, [11]), read(soldHeld, [11]), read(soldHeld, [12]));
    await expect(read(soldHeld, [11])).rejects.toMatchObject({ code: "READS_FULL" });
  });
  expect(await Promise.all(pending)).toEqual([1, 1, 1]);
  expect(await Promise.all([13, 14, 15].map((shop) => read(soldHeld, [shop])))).toEqual([1, 1, 1]);
});

test("a reader that waited too long is rejected, and costs no statement and no place", async () => {
  const { read, keys } = groupReads({ waitMs: 500, waitingMax: 3 });
  const pending: Promise<number>[] = [];
  let late: Promise<PromiseSettledResult<number>[]> = Promise.resolve([]);
  await whileHeld(async () => {
    for (const shop of [7, 8]) {
      pending.push(read(soldHeld, [shop]));
      await untilHeld(pending.length);
    }
    const sinceMs = performance.now();
    late = Promise.allSettled([read(soldHeld, [20])]);
    await vi.waitFor(() => expect(performance.now() - sinceMs).toBeGreaterThan(500), 10_000);
  });
  expect(await late).toMatchObject([{ status: "rejected", reason: { code: "READS_FULL" } }]);
  expect(await Promise.all(pending)).toEqual([1, 1]);
  expect(await Promise.all([20, 21, 22].map((shop) => read(soldHeld, [shop])))).toEqual([1, 1, 1]);
  expect(keys).toEqual([1, 1, 3]);
});
