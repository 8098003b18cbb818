import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { temporaryDirectory } from "@tally/local/at-end";
import { silentLog } from "@tally/runtime";
import { migrate, readMigrations } from "./migrate.ts";
import { ownDatabase } from "./own-database.test-kit.ts";

const { writeUrl, connect } = ownDatabase();
const options = { url: writeUrl, log: silentLog };

test("concurrent processes apply each migration once", async () => {
  const files = [1, 2, 3, 4].map((n) => ({ name: `twice/00${n}`, sql: `CREATE TABLE twice_${n} (id INT);` }));
  const applied = await Promise.all([migrate(options, files), migrate(options, files), migrate(options, files)]);
  expect(applied.flat().toSorted()).toEqual(files.map((file) => file.name));
  expect(await migrate(options, files)).toEqual([]);
});

test("new migrations are applied in the given order, with all their statements", async () => {
  const first = {
    name: "order/001",
    sql: "-- Why; it is so.\nCREATE TABLE ordered (\n  id INT, -- the id;\n  t TEXT\n);  -- so\r\nINSERT INTO ordered VALUES (1, 'a;b') -- b;\n;\n;\n-- end",
  };
  const second = { name: "order/002", sql: "INSERT INTO ordered SELECT id + 1, '?' FROM ordered" };
  expect(await migrate(options, [first])).toEqual(["order/001"]);
  expect(await migrate(options, [first, second])).toEqual(["order/002"]);
  expect(await connect().writer.query("SELECT id, t FROM ordered ORDER BY id")).toEqual([
    { id: 1, t: "a;b" },
    { id: 2, t: "?" },
  ]);
});

test("a migration that was changed after it was applied is rejected", async () => {
  await migrate(options, [{ name: "changed/001", sql: "CREATE TABLE changed (id INT)" }]);
  const again = migrate(options, [{ name: "changed/001", sql: "CREATE TABLE changed (id BIGINT)" }]);
  const message = expect.stringContaining("changed/001");
  await expect(again).rejects.toMatchObject({ code: "DATABASE_MIGRATION", message });
});

test("a failed statement is named with what stays applied, and its file counts as not applied", async () => {
  const half = { name: "half/001", sql: "CREATE TABLE half (id INT);\nCREATE TABEL half (id INT);\n" };
  const message = /half\/001, statement 2 of 2 failed \(the 1 before it stay applied.*CREATE TABEL half/s;
  await expect(migrate(options, [half])).rejects.toThrow(message);
  expect(await connect().writer.query("SELECT name FROM migrations WHERE name = 'half/001'")).toEqual([]);
  // Also when it is repeated: only an interrupted statement may find its own work.
  await expect(migrate(options, [half])).rejects.toThrow(/statement 1 of 2 failed \(nothing in this file is applied/);
  await expect(migrate(options, [half])).rejects.toThrow(/statement 1 of 2 failed \(nothing in this file is applied/);
});

test("a run that waits for a table too long, and one that ends during a statement, are continued by the next run", async () => {
  const base = { name: "held/001", sql: "CREATE TABLE held (id INT)" };
  const sql = "CREATE TABLE held_2 (id INT);\nALTER TABLE held ADD COLUMN n INT;\nCREATE TABLE held_3 (id INT)";
  const files = [base, { name: "held/002", sql }];
  await migrate(options, [base]);
  const [reads, released] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const reading = connect().transaction(async (transaction) => {
    await transaction.query("SELECT * FROM held");
    reads.resolve(undefined);
    await released.promise;
  });
  await reads.promise;
  const waitShort = migrate({ ...options, limits: { tableLockWithinSeconds: 1 } }, files);
  await expect(waitShort).rejects.toThrow(/statement 2 of 3 failed \(the next run continues here\).*timeout/s);
  const ended = migrate({ ...options, limits: { timeoutMs: 1000 } }, files);
  await expect(ended).rejects.toThrow(
    /statement 2 of 3 failed \(the next run continues here\).*no response within 1000/,
  );
  released.resolve(undefined);
  await reading;
  expect(await migrate(options, files)).toEqual(["held/002"]);
  expect(await connect().writer.query("SELECT n FROM held, held_2, held_3")).toEqual([]);
});

test("a statement blocks writers for a minute at most, and the lock outlives the server's wait_timeout", async () => {
  const sql = "CREATE TABLE limits AS SELECT @@lock_wait_timeout AS tables, @@wait_timeout AS idle";
  await migrate(options, [{ name: "limits/001", sql }]);
  expect(await connect().writer.query("SELECT tables, idle FROM limits")).toEqual([{ tables: 60, idle: 86_400 }]);
});

test.each([
  ["insert", "longer", "INSERT INTO longer SELECT 1 + SLEEP(2), @@SESSION.group_concat_max_len"],
  ["rename", "renamed", "RENAME TABLE longer TO renamed"],
])(
  "an interrupted %s that the server completes is not repeated, and settings are made again",
  async (name, table, sql) => {
    const base = { name: `longer/${name}`, sql: "CREATE TABLE longer (id INT PRIMARY KEY, size INT)" };
    const rest = `INSERT INTO ${table} SELECT 2, @@SESSION.group_concat_max_len`;
    const again = { name: `longer/${name}-2`, sql: `SET SESSION group_concat_max_len = 4321;\n${sql};\n${rest}` };
    await migrate(options, [base]);
    await connect().transaction(async (transaction) => {
      await transaction.query("SELECT * FROM longer");
      const limits = { timeoutMs: 1000 };
      await expect(migrate({ ...options, limits }, [base, again])).rejects.toThrow(/statement 2 of 3 failed/);
    });
    expect(await migrate(options, [base, again])).toEqual([again.name]);
    const { writer } = connect();
    expect(await writer.query(`SELECT size FROM ${table} WHERE id = 2`)).toEqual([{ size: 4321 }]);
    await writer.query(`DROP TABLE ${table}`);
  },
);

test("the files of a folder are read in order, and other names are rejected", async () => {
  const folder = await temporaryDirectory();
  await writeFile(join(folder, "002-second.sql"), "SELECT 2");
  await writeFile(join(folder, "001-first.sql"), "SELECT 1");
  await writeFile(join(folder, "README.md"), "no SQL");
  expect(await readMigrations(pathToFileURL(folder), "steps")).toEqual([
    { name: "steps/001-first", sql: "SELECT 1" },
    { name: "steps/002-second", sql: "SELECT 2" },
  ]);
  await writeFile(join(folder, "3.sql"), "SELECT 3");
  await expect(readMigrations(pathToFileURL(folder), "steps")).rejects.toMatchObject({ code: "DATABASE_MIGRATION" });
});
