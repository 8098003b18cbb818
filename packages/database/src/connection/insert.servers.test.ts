import { expect, test } from "vitest";
import type { SqlValue } from "@tally/contract";
import { insertStatements } from "./transact.ts";
import { ownDatabase } from "./own-database.test-kit.ts";

const { connect } = ownDatabase();

async function table(name: string, columns: string) {
  const database = connect();
  await database.transaction((tx) => tx.execute(`CREATE TABLE ${name} (${columns}) ENGINE = InnoDB`));
  return database;
}

test("a duplicate inserts no row, and the transaction continues", async () => {
  const database = await table("duplicated", "id INT PRIMARY KEY");
  const insert = "INSERT INTO duplicated (id) VALUES ?";
  const outcomes = await database.transaction(async (tx) => [
    await tx.insert(insert, [[1], [2]]),
    await tx.insert(insert, [[3], [2], [4]]),
    await tx.insert(insert, [[5]]),
    await tx.insert(insert, []),
  ]);
  expect(outcomes).toEqual(["inserted", "duplicate", "inserted", "inserted"]);
  expect(await database.writer.query("SELECT id FROM duplicated ORDER BY id")).toEqual([1, 2, 5].map((id) => ({ id })));
});

test("rows of several statements are inserted completely or not at all", async () => {
  const database = await table("large", "id INT PRIMARY KEY, t TEXT NOT NULL");
  const insert = "INSERT INTO large (id, t) VALUES ?";
  const rows = Array.from({ length: 60 }, (_, id): SqlValue[] => [id, "x".repeat(50_000)]);
  expect(insertStatements(insert, rows).length).toBeGreaterThan(2);
  const count = () => database.writer.query("SELECT COUNT(*) AS n FROM large");

  const refused = database.transaction(async (tx) => {
    expect(await tx.insert(insert, [...rows, [0, "again"]])).toBe("duplicate");
    expect(await tx.query("SELECT id FROM large")).toEqual([]);
    await tx.insert(insert, [...rows, [61, null]]);
  });
  await expect(refused).rejects.toMatchObject({ kind: "data", errno: 1048 });
  expect(await count()).toEqual([{ n: 0 }]);
  expect(await database.transaction((tx) => tx.insert(insert, rows))).toBe("inserted");
  expect(await count()).toEqual([{ n: 60 }]);
});

test("values are read as they were written, by insert and by execute", async () => {
  const columns = `id INT PRIMARY KEY, i BIGINT, u BIGINT UNSIGNED, b BINARY(16), v VARBINARY(300), t TEXT CHARACTER SET utf8mb4, d DATE,
    at DATETIME(3), f DOUBLE`;
  const database = await table("kept", columns);
  const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const hostile = "'); DROP TABLE kept; -- ";
  const quoted = ["it's", `"quoted"`, "back\\slash\\", "\\'"];
  const plain = ["", ...quoted, "\0\b\t\n\r\x1a", "%_?:??", "🛒 ½ 日本 \u{10FFFF}", "NULL"];
  const texts = [...plain, hostile];
  const id = Buffer.from("00112233445566778899aabbccddeeff", "hex");
  const at = new Date("2026-02-28T23:59:59.123Z");
  const [min, max] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  const rows = texts.map((text, n): SqlValue[] => [n, min, max, id, everyByte, text, "2026-02-28", at, 0.1]);
  rows.push([texts.length, null, null, null, Buffer.alloc(0), null, null, null, -0]);
  const insert = `INSERT INTO kept (id, i, u, b, v, t, d, at, f) VALUES ?`;
  const select = "SELECT id, i, u, b, v, t, d, at, f FROM kept ORDER BY id";
  const names = ["id", "i", "u", "b", "v", "t", "d", "at", "f"];
  const expected = rows.map((row) =>
    Object.fromEntries(row.map((value, i) => [names[i], Object.is(value, -0) ? 0 : value])),
  );

  await database.transaction((tx) => tx.insert(insert, rows));
  expect(await database.writer.query(select)).toEqual(expected);
  await database.transaction(async (tx) => {
    await tx.execute("DELETE FROM kept");
    expect(await tx.execute(insert, [rows])).toBe(rows.length);
  });
  expect(await database.writer.query(select)).toEqual(expected);
  expect(await database.writer.query("SELECT id FROM kept WHERE t = ?", [hostile])).toEqual([{ id: plain.length }]);
});

test("integers beyond 2^53 are written as bigint and read as text", async () => {
  const database = await table("big", "u BIGINT UNSIGNED");
  await database.transaction((tx) => tx.insert("INSERT INTO big (u) VALUES ?", [[2n ** 64n - 1n]]));
  expect(await database.writer.query("SELECT u FROM big")).toEqual([{ u: "18446744073709551615" }]);
});

test("NaN and infinities are rejected before they become SQL", async () => {
  const database = await table("numbers", "f DOUBLE");
  for (const value of [NaN, Infinity, -Infinity]) {
    const work = database.transaction((tx) => tx.insert("INSERT INTO numbers (f) VALUES ?", [[value]]));
    await expect(work).rejects.toMatchObject({ code: "DATABASE_DATA" });
  }
});

test("a second statement in the text is rejected", async () => {
  const database = await table("single", "id INT");
  const two = database.writer.query("SELECT 1; DROP TABLE single");
  await expect(two).rejects.toMatchObject({ kind: "statement", errno: 1064 });
});

test("a statement larger than any server accepts is a data error, not an outage", async () => {
  const database = await table("huge", "t LONGTEXT");
  const work = database.transaction((tx) => tx.insert("INSERT INTO huge (t) VALUES ?", [["x".repeat(6_000_000)]]));
  await expect(work).rejects.toMatchObject({ code: "DATABASE_DATA" });
});

test("an upsert counts 1 for a new row, 2 for a changed one, 0 for an unchanged one, also over several statements", async () => {
  const database = await table("upserted", "id INT PRIMARY KEY, n INT NOT NULL, t TEXT");
  const keep = "INSERT INTO upserted (id, n, t) VALUES ? ON DUPLICATE KEY UPDATE n = n";
  const change = "INSERT INTO upserted (id, n, t) VALUES ? ON DUPLICATE KEY UPDATE n = VALUES(n)";
  const large = Array.from({ length: 60 }, (_, id): SqlValue[] => [100 + id, 1, "x".repeat(50_000)]);
  expect(insertStatements(keep, large).length).toBeGreaterThan(2);
  const rowsOf = (...pairs: readonly (readonly [number, number])[]) => pairs.map(([id, n]): SqlValue[] => [id, n, ""]);
  const counts = await database.transaction(async (tx) => [
    await tx.upsert(keep, rowsOf([1, 1], [2, 1])),
    await tx.upsert(keep, rowsOf([1, 9], [2, 9], [3, 9])),
    await tx.upsert(change, rowsOf([1, 9], [2, 1], [4, 4])),
    await tx.upsert(keep, large),
    await tx.upsert(keep, []),
  ]);
  expect(counts).toEqual([2, 1, 3, 60, 0]);
  const kept = await database.writer.query<{ n: number }>("SELECT id, n FROM upserted WHERE id < 100 ORDER BY id");
  expect(kept.map(({ n }) => n)).toEqual([9, 1, 9, 4]);
});

test("a row that an upsert does not change stays locked until the transaction ends", async () => {
  const database = await table("kept_locked", "id INT PRIMARY KEY, n INT NOT NULL");
  const keep = "INSERT INTO kept_locked (id, n) VALUES ? ON DUPLICATE KEY UPDATE n = n";
  await database.transaction((tx) => tx.upsert(keep, [[1, 0]]));
  const order: string[] = [];
  const locked = Promise.withResolvers<void>();
  const first = database.transaction(async (tx) => {
    expect(await tx.upsert(keep, [[1, 5]])).toBe(0);
    locked.resolve();
    await tx.query("SELECT SLEEP(0.3)");
    order.push("first");
  });
  await locked.promise;
  await database.transaction((tx) => tx.upsert(keep, [[1, 6]]));
  order.push("second");
  await first;
  expect(order).toEqual(["first", "second"]);
});
