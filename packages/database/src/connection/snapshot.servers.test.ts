import type { SqlReader } from "@tally/contract";
import { beforeAll, expect, test } from "vitest";
import { ownDatabase } from "./own-database.test-kit.ts";

const { connect } = ownDatabase();
const rowCount = 20_000;

beforeAll(async () => {
  await connect().transaction(async (tx) => {
    await tx.execute("CREATE TABLE numbers (n INT PRIMARY KEY) ENGINE = InnoDB");
    await tx.insert(
      "INSERT INTO numbers (n) VALUES ?",
      Array.from({ length: rowCount }, (_, n) => [n]),
    );
  });
});

const count = async (reader: SqlReader) =>
  (await reader.query<{ n: number }>("SELECT COUNT(*) AS n FROM numbers"))[0]?.n;

test("a snapshot sees one moment: later commits are not in it", async () => {
  const database = connect();
  await database.snapshot("write", async (snapshot) => {
    expect(await count(snapshot)).toBe(rowCount);
    await database.transaction((tx) => tx.insert("INSERT INTO numbers (n) VALUES ?", [[-1]]));
    expect(await count(snapshot)).toBe(rowCount);
  });
  await database.transaction((tx) => tx.execute("DELETE FROM numbers WHERE n = -1"));
});

test("a snapshot cannot write", async () => {
  const work = connect().snapshot("write", (snapshot) => snapshot.query("DELETE FROM numbers"));
  await expect(work).rejects.toMatchObject({ errno: 1792 });
});

test.each([
  ["SELECT n FROM numbers ORDER BY n", rowCount, 5000],
  ["SELECT n, REPEAT('x', 100000) FROM numbers WHERE n < 400 ORDER BY n", 400, 170],
])("a stream returns every row once, in chunks of limited size: %s", async (sql, rowsOfAll, rowsOfChunk) => {
  await connect().snapshot("write", async (snapshot) => {
    let next = 0;
    for await (const rows of snapshot.stream(sql)) {
      expect(rows.length).toBeLessThanOrEqual(rowsOfChunk);
      for (const [n] of rows) expect(n).toBe(next++);
    }
    expect(next).toBe(rowsOfAll);
  });
});

test("a stream that is not read to its end, or fails, does not block the pool", async () => {
  const database = connect({ writeConnections: 1 });
  const left = database.snapshot("write", async (snapshot) => {
    for await (const rows of snapshot.stream("SELECT n FROM numbers")) return rows.length;
    return 0;
  });
  expect(await left).toBeGreaterThan(0);
  const failed = database.snapshot("write", async (snapshot) => {
    for await (const rows of snapshot.stream("SELECT n FROM no_such_table")) return rows.length;
    return 0;
  });
  await expect(failed).rejects.toThrow("no_such_table");
  expect(await count(database.writer)).toBe(rowCount);
});

test("a stream that is silent for longer than its caller allows fails, and the next snapshot works", async () => {
  const database = connect({ queryTimeoutMs: 20_000 });
  const read = (sql: string, silenceMs: number) =>
    database.snapshot(
      "read",
      async (snapshot) => {
        for await (const rows of snapshot.stream(sql)) return rows.length;
        return 0;
      },
      { silenceMs },
    );
  await expect(read("SELECT SLEEP(20)", 300)).rejects.toMatchObject({ code: "DATABASE_TIMEOUT" });
  expect(await read("SELECT 1", 20_000)).toBe(1);
});

test("a stream whose connection is lost fails at once", async () => {
  const database = connect();
  const work = database.snapshot("write", async (snapshot) => {
    const [own] = await snapshot.query<{ id: number }>("SELECT CONNECTION_ID() AS id");
    let rowsRead = 0;
    for await (const rows of snapshot.stream("SELECT a.n FROM numbers AS a, numbers AS b")) {
      if (rowsRead === 0) await database.transaction((tx) => tx.execute("KILL ?", [own?.id ?? expect.fail()]));
      rowsRead += rows.length;
    }
  });
  await expect(work).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
}, 20_000);

test("closing the database does not wait for a snapshot", async () => {
  const database = connect({ queryTimeoutMs: 20_000 });
  const begun = Promise.withResolvers<void>();
  const work = database.snapshot("write", async (snapshot) => {
    begun.resolve();
    for await (const rows of snapshot.stream("SELECT SLEEP(15)")) return rows.length;
    return 0;
  });
  work.catch(() => undefined);
  await begun.promise;
  const beganAt = performance.now();
  await database.close();
  expect(performance.now() - beganAt).toBeLessThan(5000);
});
