import { silentLog } from "@tally/runtime";
import { openTcpProxy } from "@tally/local";
import type { SqlTransaction } from "@tally/contract";
import { expect, onTestFinished, test, vi } from "vitest";
import { ownDatabase } from "./own-database.test-kit.ts";

const { writeUrl, readUrl, connect } = ownDatabase();

async function table(name: string, rowIds: readonly number[] = []) {
  const database = connect();
  await database.transaction(async (tx) => {
    await tx.execute(`CREATE TABLE ${name} (id INT PRIMARY KEY, n INT NOT NULL DEFAULT 0) ENGINE = InnoDB`);
    await tx.insert(
      `INSERT INTO ${name} (id) VALUES ?`,
      rowIds.map((id) => [id]),
    );
  });
  const rows = () => database.writer.query<{ id: number; n: number }>(`SELECT id, n FROM ${name} ORDER BY id`);
  return { database, rows, ids: async () => (await rows()).map((row) => row.id) };
}

test.each([
  ["an error of the work", "thrown", 0, new RangeError("no")],
  ["a data error", "refused", 2 ** 40, { code: "DATABASE_DATA", kind: "data", errno: 1264 }],
])("%s rolls back and is rethrown, without a retry", async (_, name, value, expected) => {
  const { database, ids } = await table(name);
  let attempts = 0;
  const work = database.transaction(async (tx) => {
    attempts++;
    await tx.insert(`INSERT INTO ${name} (id) VALUES ?`, [[1]]);
    await tx.insert(`INSERT INTO ${name} (id) VALUES ?`, [[2], [value]]);
    throw expected;
  });
  await expect(work).rejects.toMatchObject(expected);
  expect(attempts).toBe(1);
  expect(await ids()).toEqual([]);
});

test("the server ends an abandoned transaction after a minute, and no snapshot, also where it waits for its reader", async () => {
  const database = connect({ writeConnections: 1 });
  const select = "SELECT @@wait_timeout AS seconds, @@net_write_timeout AS writing";
  const inTransaction = () => database.transaction((tx) => tx.query(select));
  const inSnapshot = await database.snapshot("write", (snapshot) => snapshot.query(select));
  expect([await inTransaction(), inSnapshot, await inTransaction()]).toEqual([
    [{ seconds: 60, writing: 60 }],
    [{ seconds: 28_800, writing: 28_800 }],
    [{ seconds: 60, writing: 60 }],
  ]);
});

test("isolation is READ COMMITTED, the mode is strict, the time zone is UTC, unchanged rows are not counted", async () => {
  const { database } = await table("settings", [1]);
  await database.transaction(async (tx) => {
    await connect().transaction((other) => other.insert("INSERT INTO settings (id) VALUES ?", [[2]]));
    await tx.query("SELECT * FROM settings");
    await connect().transaction((other) => other.insert("INSERT INTO settings (id) VALUES ?", [[3]]));
    expect(await tx.query("SELECT id FROM settings")).toHaveLength(3);
    expect(await tx.execute("UPDATE settings SET n = 0")).toBe(0);
    expect(await tx.execute("UPDATE settings SET n = 1 WHERE id > ?", [1])).toBe(2);
  });
  const [row] = await database.writer.query("SELECT @@sql_mode AS mode, @@time_zone AS zone");
  const mode = expect.stringMatching(/^(?!.*NO_BACKSLASH_ESCAPES).*STRICT_ALL_TABLES/);
  expect(row).toEqual({ mode, zone: "+00:00" });
});

test("after a deadlock both transactions commit, without writes of the lost attempt", async () => {
  const { database, rows, ids } = await table("deadlocked", [1, 2]);
  const bothHoldOne = Promise.withResolvers<void>();
  let [attempts, holding] = [0, 0];
  const add = (first: number, second: number) =>
    database.transaction(async (tx) => {
      const attempt = ++attempts;
      await tx.execute("UPDATE deadlocked SET n = n + 1 WHERE id = ?", [first]);
      if (++holding >= 2) bothHoldOne.resolve();
      await bothHoldOne.promise;
      // In parallel: the server would run and keep the second outside of the transaction that the first has lost.
      await Promise.all([
        tx.execute("UPDATE deadlocked SET n = n + 1 WHERE id = ?", [second]),
        tx.insert("INSERT INTO deadlocked (id) VALUES ?", [[100 + attempt]]),
      ]);
    });
  await Promise.all([add(1, 2), add(2, 1)]);
  expect(attempts).toBe(3);
  expect((await rows()).slice(0, 2)).toEqual([1, 2].map((id) => ({ id, n: 2 })));
  expect(await ids()).toHaveLength(4);
});

test("a statement sent while the transaction ends is part of it or fails", async () => {
  const { database, ids } = await table("late");
  const late: Promise<unknown>[] = [];
  await database.transaction(async (tx) => {
    late.push(tx.insert("INSERT INTO late (id) VALUES ?", [[1]]));
    setImmediate(() => late.push(tx.insert("INSERT INTO late (id) VALUES ?", [[2]]).catch((error: unknown) => error)));
  });
  await expect.poll(() => late.length, { timeout: 10_000 }).toBe(2);
  expect(await Promise.all(late)).toEqual(["inserted", expect.objectContaining({ code: "DATABASE_STATEMENT" })]);
  expect(await ids()).toEqual([1]);
});

test.each([
  ["text that is too long", "VARCHAR(3)", "long", 1406],
  ["text for a number", "INT", "many", 1366],
  ["a date that does not exist", "DATE", "2026-02-30", 1292],
  ["null", "INT NOT NULL", null, 1048],
])("%s is a data error", async (_, type, value, errno) => {
  const name = `data_${errno}`;
  await connect().transaction((tx) => tx.execute(`CREATE TABLE ${name} (v ${type})`));
  const work = connect().transaction((tx) => tx.insert(`INSERT INTO ${name} (v) VALUES ?`, [[value]]));
  await expect(work).rejects.toMatchObject({ kind: "data", errno });
});

const connectionId = async (tx: SqlTransaction) => {
  const [row] = await tx.query<{ id: number }>("SELECT CONNECTION_ID() AS id");
  return row?.id ?? 0;
};

test("a work that catches the loss of its transaction is repeated", async () => {
  const { database, ids } = await table("caught");
  let attempts = 0;
  await database.transaction(async (tx) => {
    attempts++;
    await tx.insert("INSERT INTO caught (id) VALUES ?", [[attempts]]);
    if (attempts === 1) await database.writer.query("KILL ?", [await connectionId(tx)]);
    await tx.insert("INSERT INTO caught (id) VALUES ?", [[10]]).catch(() => "caught");
    await tx.insert("INSERT INTO caught (id) VALUES ?", [[11]]).catch(() => "caught");
  });
  expect(await ids()).toEqual([2, 10, 11]);
});

test("after a lost response to COMMIT the transaction repeats, and the work detects that it was done", async () => {
  await table("unanswered");
  let commits = 0;
  const proxy = await openTcpProxy(writeUrl, {
    onRequest: (piece) => (piece.toString().endsWith("COMMIT") && ++commits === 1 ? "pass and cut" : piece),
  });
  onTestFinished(() => proxy.close());
  const database = connect({ writeUrl: proxy.url });
  const outcome = await database.transaction((tx) => tx.insert("INSERT INTO unanswered (id) VALUES ?", [[1]]));
  expect(outcome).toBe("duplicate");
  expect(commits).toBe(2);
  await database.close();
});

test("transactions wait for an unavailable server, with one log line for the outage and one for its end", async () => {
  await table("awaited");
  const proxy = await openTcpProxy(writeUrl);
  onTestFinished(() => proxy.close());
  proxy.become({ name: "cut" });
  const lines: string[] = [];
  const keep = (_: object, line: string) => void lines.push(line);
  const database = connect({ writeUrl: proxy.url, log: { ...silentLog, info: keep, warn: keep } });
  let attempts = 0;
  const insert = (id: number) =>
    database.transaction((tx) => {
      attempts++;
      return tx.insert("INSERT INTO awaited (id) VALUES ?", [[id]]);
    });
  const all = Promise.all([1, 2, 3, 4, 5, 6].map(insert));
  await expect.poll(() => lines.length, { timeout: 10_000 }).toBe(1);
  proxy.become({ name: "open" });
  expect(await all).toEqual(Array(6).fill("inserted"));
  expect(attempts).toBe(6);
  const recovered = expect.stringMatching(/^recovered: use the database's write endpoint \(down \d+ ms\)$/);
  const both = ["cannot use the database's write endpoint; retrying", recovered];
  await expect.poll(() => lines, { timeout: 10_000 }).toEqual(both);
  await database.close();
});

test("writes to a read-only server are retried until giveUpAfterMs", async () => {
  const { database } = await table("read_only");
  await vi.waitFor(() => connect().reader.query("SELECT id FROM read_only"), 30_000);
  let attempts = 0;
  const used = new Set<number>();
  const work = connect({ writeUrl: readUrl }).transaction(
    async (tx) => {
      attempts++;
      used.add(await connectionId(tx));
      await tx.insert("INSERT INTO read_only (id) VALUES ?", [[1]]);
    },
    { giveUpAfterMs: 2000 },
  );
  await expect(work).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE", cause: { errno: 1290 } });
  expect(attempts).toBeGreaterThan(2);
  expect(used.size).toBe(attempts);
  expect(await database.writer.query("SELECT id FROM read_only")).toEqual([]);
});

test("a hanging statement times out, and the transaction repeats on another connection", async () => {
  const database = connect({ queryTimeoutMs: 4000, writeConnections: 1 });
  const used: number[] = [];
  await database.transaction(async (tx) => {
    used.push(await connectionId(tx));
    if (used.length === 1) await tx.query("SELECT SLEEP(20)");
  });
  expect(used).toHaveLength(2);
  expect(used[1]).not.toBe(used[0]);
});
