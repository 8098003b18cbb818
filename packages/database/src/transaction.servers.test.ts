import { expect, test } from "vitest";
import { silentLog } from "@tally/failures";
import { ownDatabase } from "./own-database.test-kit.ts";
import { tcpProxy } from "./tcp-proxy.test-kit.ts";
import type { SqlTransaction } from "@tally/pipeline";

const { writeUrl, readUrl, connect } = ownDatabase();

async function table(name: string, ids: readonly number[] = []) {
  const database = connect();
  await database.transaction(async (tx) => {
    await tx.execute(`CREATE TABLE ${name} (id INT PRIMARY KEY, n INT NOT NULL DEFAULT 0) ENGINE = InnoDB`);
    await tx.insert(
      `INSERT INTO ${name} (id) VALUES ?`,
      ids.map((id) => [id]),
    );
  });
  const rows = () => database.writer.query<{ id: number; n: number }>(`SELECT id, n FROM ${name} ORDER BY id`);
  const ids_ = async () => (await rows()).map((row) => row.id);
  return { database, rows, ids: ids_ };
}

test("what a transaction wrote is there when it returns, with the value of its work", async () => {
  const { database, ids } = await table("committed");
  const result = await database.transaction(async (tx) => {
    await tx.insert("INSERT INTO committed (id) VALUES ?", [[1], [2]]);
    return tx.query<{ id: number }>("SELECT id FROM committed WHERE id IN (?)", [[1, 3]]);
  });
  expect(result).toEqual([{ id: 1 }]);
  expect(await ids()).toEqual([1, 2]);
});

test("what the work throws undoes the transaction and reaches the caller, without a second attempt", async () => {
  const { database, ids } = await table("thrown");
  let attempts = 0;
  const work = database.transaction(async (tx) => {
    attempts++;
    await tx.insert("INSERT INTO thrown (id) VALUES ?", [[1]]);
    throw new RangeError("no");
  });
  await expect(work).rejects.toThrow(RangeError);
  expect(attempts).toBe(1);
  expect(await ids()).toEqual([]);
});

test("isolation is READ COMMITTED, the mode strict, the zone UTC, and unchanged rows are not counted", async () => {
  const { database } = await table("settings", [1]);
  await database.transaction(async (tx) => {
    await connect().transaction((other) => other.insert("INSERT INTO settings (id) VALUES ?", [[2]]));
    await tx.query("SELECT * FROM settings");
    await connect().transaction((other) => other.insert("INSERT INTO settings (id) VALUES ?", [[3]]));
    expect(await tx.query("SELECT id FROM settings")).toHaveLength(3);
    expect(await tx.execute("UPDATE settings SET n = 0")).toBe(0);
    expect(await tx.execute("UPDATE settings SET n = 1 WHERE id > ?", [1])).toBe(2);
  });
  const [row] = await database.writer.query<{ mode: string; zone: string }>(
    "SELECT @@sql_mode AS mode, @@time_zone AS zone",
  );
  expect(row).toEqual({ mode: expect.stringContaining("STRICT_ALL_TABLES"), zone: "+00:00" });
  expect(row?.mode).not.toContain("NO_BACKSLASH_ESCAPES");
});

test("two transactions that deadlock are both committed, and nothing of the lost attempt is", async () => {
  const { database, rows, ids } = await table("deadlocked", [1, 2]);
  const waiting: (() => void)[] = [];
  const bothHoldOne = () =>
    new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length >= 2) for (const go of waiting) go();
    });
  let attempts = 0;
  const add = (first: number, second: number) =>
    database.transaction(async (tx) => {
      const attempt = ++attempts;
      await tx.execute("UPDATE deadlocked SET n = n + 1 WHERE id = ?", [first]);
      await bothHoldOne();
      // Sent together: the server would run, and keep, the second outside of the transaction that the first has lost.
      await Promise.all([
        tx.execute("UPDATE deadlocked SET n = n + 1 WHERE id = ?", [second]),
        tx.insert("INSERT INTO deadlocked (id) VALUES ?", [[100 + attempt]]),
      ]);
    });
  await Promise.all([add(1, 2), add(2, 1)]);
  expect(attempts).toBe(3);
  expect((await rows()).slice(0, 2)).toEqual([
    { id: 1, n: 2 },
    { id: 2, n: 2 },
  ]);
  expect(await ids()).toHaveLength(4);
});

test("a statement sent while the transaction ends is part of it or refused", async () => {
  const { database, ids } = await table("late");
  const late: Promise<unknown>[] = [];
  await database.transaction(async (tx) => {
    late.push(tx.insert("INSERT INTO late (id) VALUES ?", [[1]]));
    setImmediate(() => late.push(tx.insert("INSERT INTO late (id) VALUES ?", [[2]]).catch((error: unknown) => error)));
  });
  await expect.poll(() => late.length).toBe(2);
  expect(await Promise.all(late)).toEqual(["inserted", expect.objectContaining({ code: "DATABASE_STATEMENT" })]);
  expect(await ids()).toEqual([1]);
});

test("a data error is thrown at once, names its errno, and leaves nothing", async () => {
  const { database, ids } = await table("refused");
  let attempts = 0;
  const work = database.transaction(async (tx) => {
    attempts++;
    await tx.insert("INSERT INTO refused (id) VALUES ?", [[1]]);
    await tx.insert("INSERT INTO refused (id) VALUES ?", [[2], [2 ** 40]]);
  });
  await expect(work).rejects.toMatchObject({ code: "DATABASE_DATA", kind: "data", errno: 1264 });
  expect(attempts).toBe(1);
  expect(await ids()).toEqual([]);
});

test.each([
  ["a text that is too long", "VARCHAR(3)", "long", 1406],
  ["a text for a number", "INT", "many", 1366],
  ["a day that does not exist", "DATE", "2026-02-30", 1292],
  ["null", "INT NOT NULL", null, 1048],
])("%s is a data error", async (_, type, value, errno) => {
  const name = `data_${errno}`;
  await connect().transaction((tx) => tx.execute(`CREATE TABLE ${name} (v ${type})`));
  const work = connect().transaction((tx) => tx.insert(`INSERT INTO ${name} (v) VALUES ?`, [[value]]));
  await expect(work).rejects.toMatchObject({ kind: "data", errno });
});

test("wrong SQL is thrown at once and is no data error", async () => {
  const work = connect().transaction((tx) => tx.execute("UPDATE no_such_table SET n = 1"));
  await expect(work).rejects.toMatchObject({ code: "DATABASE_STATEMENT", kind: "statement", errno: 1146 });
});

const connectionId = async (tx: SqlTransaction) => {
  const [row] = await tx.query<{ id: number }>("SELECT CONNECTION_ID() AS id");
  return row?.id ?? 0;
};

test("a connection killed in the middle is replaced and the rows are there once", async () => {
  const { database, ids } = await table("killed");
  const used: number[] = [];
  await database.transaction(async (tx) => {
    used.push(await connectionId(tx));
    await tx.insert("INSERT INTO killed (id) VALUES ?", [[1]]);
    if (used.length === 1) await database.writer.query("KILL ?", used);
    await tx.insert("INSERT INTO killed (id) VALUES ?", [[2]]);
  });
  expect(used).toHaveLength(2);
  expect(used[1]).not.toBe(used[0]);
  expect(await ids()).toEqual([1, 2]);
});

test("a work that swallows the loss of its transaction is repeated all the same", async () => {
  const { database, ids } = await table("swallowed");
  let attempts = 0;
  await database.transaction(async (tx) => {
    attempts++;
    await tx.insert("INSERT INTO swallowed (id) VALUES ?", [[attempts]]);
    if (attempts === 1) await database.writer.query("KILL ?", [await connectionId(tx)]);
    await tx.insert("INSERT INTO swallowed (id) VALUES ?", [[10]]).catch(() => "swallowed");
    await tx.insert("INSERT INTO swallowed (id) VALUES ?", [[11]]).catch(() => "swallowed");
  });
  expect(await ids()).toEqual([2, 10, 11]);
});

test("a COMMIT whose answer is lost is repeated, and the work sees that it was done", async () => {
  await table("unanswered");
  let cuts = 0;
  const proxy = await tcpProxy(writeUrl, (data, client) => {
    if (cuts === 0 && data.toString().endsWith("COMMIT")) {
      cuts++;
      client.destroy();
    }
  });
  const database = connect({ writeUrl: proxy.url });
  const outcome = await database.transaction((tx) => tx.insert("INSERT INTO unanswered (id) VALUES ?", [[1]]));
  expect(outcome).toBe("duplicate");
  expect(cuts).toBe(1);
  await database.close();
  await proxy.stop();
});

test("a server that is away is waited for, and the log says so once each way", async () => {
  await table("awaited");
  const gone = await tcpProxy(writeUrl);
  await gone.stop();
  const lines: string[] = [];
  const log = {
    ...silentLog,
    info: (_: object, line: string) => lines.push(line),
    warn: (_: object, line: string) => lines.push(line),
  };
  const database = connect({ writeUrl: gone.url, log });
  let attempts = 0;
  const insert = (id: number) =>
    database.transaction((tx) => {
      attempts++;
      return tx.insert("INSERT INTO awaited (id) VALUES ?", [[id]]);
    });
  const all = Promise.all([1, 2, 3, 4, 5, 6].map(insert));
  await expect.poll(() => lines.length, { timeout: 5000 }).toBe(1);
  const back = await tcpProxy(writeUrl, () => {}, gone.port);
  expect(await all).toEqual(Array(6).fill("inserted"));
  expect(attempts).toBe(6);
  await expect.poll(() => lines, { timeout: 5000 }).toEqual(["database is away", "database is back"]);
  await database.close();
  await back.stop();
});

test("a read-only server is tried again until the time is up", async () => {
  const { database } = await table("read_only");
  await expect
    .poll(() =>
      connect()
        .reader.query("SELECT id FROM read_only")
        .then(
          () => true,
          () => false,
        ),
    )
    .toBe(true);
  let attempts = 0;
  const used = new Set<number>();
  const work = connect({ writeUrl: readUrl }).transaction(
    async (tx) => {
      attempts++;
      used.add(await connectionId(tx));
      await tx.insert("INSERT INTO read_only (id) VALUES ?", [[1]]);
    },
    { giveUpAfterMs: 500 },
  );
  await expect(work).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE", cause: { errno: 1290 } });
  expect(attempts).toBeGreaterThan(2);
  expect(used.size).toBe(attempts);
  expect(await database.writer.query("SELECT id FROM read_only")).toEqual([]);
});

test("an abort ends the retries", async () => {
  const controller = new AbortController();
  const database = connect({ writeUrl: "mysql://nobody@127.0.0.1:1/nothing_test" });
  const work = database.transaction(async () => {}, { signal: controller.signal });
  controller.abort();
  await expect(work).rejects.toMatchObject({ code: "DATABASE_ABORTED", kind: "unavailable" });
});

test("a statement that hangs is ended, and another connection takes over", async () => {
  const database = connect({ queryTimeoutMs: 300, writeConnections: 1 });
  const used: number[] = [];
  await database.transaction(async (tx) => {
    used.push(await connectionId(tx));
    if (used.length === 1) await tx.query("SELECT SLEEP(20)");
  });
  expect(used).toHaveLength(2);
  expect(used[1]).not.toBe(used[0]);
});

test("a transaction object is of no use after its end", async () => {
  const leaked = await connect().transaction(async (tx) => ({ tx }));
  await expect(leaked.tx.query("SELECT 1")).rejects.toMatchObject({ code: "DATABASE_STATEMENT" });
});
