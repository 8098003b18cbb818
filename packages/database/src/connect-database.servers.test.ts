import { expect, test } from "vitest";
import { ownDatabase } from "./own-database.test-kit.ts";
import { tcpProxy } from "./tcp-proxy.test-kit.ts";

const { writeUrl, readUrl, connect } = ownDatabase();

test("the reader reads from the replica, the writer from the primary", async () => {
  const database = connect();
  const [replica] = await database.reader.query<{ id: number }>("SELECT @@server_id AS id");
  const [primary] = await database.writer.query<{ id: number }>("SELECT @@server_id AS id");
  expect(replica?.id).not.toBe(primary?.id);
});

test("what is committed arrives at the reader", async () => {
  const database = connect();
  await database.transaction(async (tx) => {
    await tx.execute("CREATE TABLE arriving (id INT PRIMARY KEY) ENGINE = InnoDB");
    await tx.insert("INSERT INTO arriving (id) VALUES ?", [[7]]);
  });
  await expect.poll(() => database.reader.query("SELECT id FROM arriving").catch(() => [])).toEqual([{ id: 7 }]);
});

test("the reader can't write, wherever its address points", async () => {
  const database = connect({ readUrl: writeUrl });
  await expect(database.reader.query("CREATE TABLE written (id INT)")).rejects.toMatchObject({ errno: 1792 });
});

test("a read whose connection was lost is tried again", async () => {
  const cut: (() => void)[] = [];
  const proxy = await tcpProxy(readUrl, (data, client) => {
    if (data.includes("'cut me'") && cut.length === 0) cut.push(() => client.destroy());
    cut[0]?.();
  });
  const database = connect({ readUrl: proxy.url });
  expect(await database.reader.query("SELECT 'cut me' AS t")).toEqual([{ t: "cut me" }]);
  expect(cut).toHaveLength(1);
  await database.close();
  await proxy.stop();
});

test("a read fails as unavailable when nobody answers, and as a time-out when it takes too long", async () => {
  const nobody = connect({ readUrl: "mysql://nobody@127.0.0.1:1/nothing_test" });
  await expect(nobody.reader.query("SELECT 1")).rejects.toMatchObject({
    code: "DATABASE_UNAVAILABLE",
    kind: "unavailable",
  });

  const hasty = connect({ queryTimeoutMs: 200, readConnections: 1 });
  const id = async () => (await hasty.reader.query("SELECT CONNECTION_ID() AS id"))[0];
  const before = await id();
  await expect(hasty.reader.query("SELECT SLEEP(20)")).rejects.toMatchObject({
    code: "DATABASE_TIMEOUT",
    kind: "unavailable",
  });
  expect(await id()).not.toEqual(before);
});

test("whoever waits for a busy pool longer than the query time-out is told", async () => {
  const database = connect({ queryTimeoutMs: 400, writeConnections: 1 });
  await database.transaction(async () => {
    await expect(database.writer.query("SELECT 1")).rejects.toMatchObject({ code: "DATABASE_TIMEOUT" });
  });
  expect(await database.writer.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
});

test("ping tells the endpoints apart, and a read-only server is no write endpoint", async () => {
  expect(await connect().ping()).toEqual({ write: true, read: true });
  expect(await connect({ writeUrl: readUrl }).ping()).toEqual({ write: false, read: true });
  const nobody = "mysql://nobody@127.0.0.1:1/nothing_test";
  expect(await connect({ readUrl: nobody }).ping()).toEqual({ write: true, read: false });
});

test("close waits for what is running and refuses what comes later", async () => {
  const database = connect();
  const running = Promise.withResolvers<void>();
  const work = database.transaction(async (tx) => {
    running.resolve();
    await tx.query("SELECT SLEEP(0.2)");
    return "done";
  });
  await running.promise;
  await database.close();
  expect(await work).toBe("done");
  await expect(database.transaction(async () => {})).rejects.toMatchObject({ code: "DATABASE_CLOSED" });
  await expect(database.reader.query("SELECT 1")).rejects.toMatchObject({ code: "DATABASE_CLOSED" });
});

test("close does not wait for a hanging transaction longer than the query time-out", async () => {
  const database = connect({ queryTimeoutMs: 300 });
  const closed = Promise.withResolvers<void>();
  const running = Promise.withResolvers<void>();
  const work = database.transaction(async (tx) => {
    running.resolve();
    await closed.promise;
    await tx.query("SELECT 1");
  });
  await running.promise;
  await database.close();
  closed.resolve();
  await expect(work).rejects.toMatchObject({ code: "DATABASE_CLOSED" });
});
