import { once } from "node:events";
import { createConnection, createServer } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { ownDatabase } from "./own-database.test-kit.ts";

const { writeUrl, readUrl, connect } = ownDatabase();
const noServer = "mysql://unknown@127.0.0.1:1/nothing_test";

test("the reader uses the read endpoint, the writer the write endpoint", async () => {
  const database = connect();
  const [replica] = await database.reader.query<{ id: number }>("SELECT @@server_id AS id");
  const [primary] = await database.writer.query<{ id: number }>("SELECT @@server_id AS id");
  expect(replica?.id).not.toBe(primary?.id);
});

test("the reader cannot write, also with the write endpoint's address", async () => {
  const database = connect({ readUrl: writeUrl });
  await expect(database.reader.query("CREATE TABLE written (id INT)")).rejects.toMatchObject({ errno: 1792 });
});

test("a connection to a demoted primary is replaced, though its server lives; a new one is used", async () => {
  const idAt = async (url: string) => {
    const [row] = await connect({ writeUrl: url }).writer.query<{ id: number }>("SELECT @@server_id AS id");
    return row?.id;
  };
  const [primary, demoted] = [await idAt(writeUrl), await idAt(readUrl)];
  // The name's earlier connections stay open.
  let port = Number(new URL(readUrl).port);
  const name = createServer((near) => {
    const far = createConnection(port, new URL(writeUrl).hostname);
    near.pipe(far).pipe(near);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const)
      from.on("error", () => to.destroy()).on("close", () => to.destroy());
  }).listen(0, "127.0.0.1");
  await once(name, "listening");
  onTestFinished(() => void name.close());
  const address = name.address();
  const url = new URL(writeUrl);
  url.port = String(typeof address === "object" ? address?.port : 0);
  const named = connect({ writeUrl: url.href, writeConnections: 2 });
  const ids = () =>
    Promise.all([1, 2].map(() => named.writer.query<{ id: number }>("SELECT @@server_id AS id, SLEEP(0.2)")));
  const seen = async () => new Set((await ids()).map(([row]) => row?.id));
  expect([await seen(), await named.responds("write")]).toEqual([new Set([demoted]), false]);
  port = Number(new URL(writeUrl).port);
  await vi.waitFor(async () => expect(await seen()).toEqual(new Set([primary])), 30_000);
  expect(await named.responds("write")).toBe(true);
});

test("a read without a server fails as unavailable, a slow read with a timeout", async () => {
  const down = connect({ readUrl: noServer });
  await expect(down.reader.query("SELECT 1")).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });

  // Long enough for a busy machine to connect.
  const hasty = connect({ queryTimeoutMs: 4000, readConnections: 1 });
  const id = async () => (await hasty.reader.query("SELECT CONNECTION_ID() AS id"))[0];
  const before = await id();
  const slow = hasty.reader.query("SELECT SLEEP(20)");
  await expect(slow).rejects.toMatchObject({ code: "DATABASE_TIMEOUT", kind: "unavailable" });
  expect(await id()).not.toEqual(before);
});

test("a wait for a connection ends with the query timeout and is reported; pools shows it", async () => {
  const waits: string[] = [];
  const database = connect({
    queryTimeoutMs: 4000,
    writeConnections: 1,
    onSession: (endpoint, waitedMs) => waits.push(`${endpoint} ${waitedMs > 1000 ? "late" : "soon"}`),
  });
  const read = { endpoint: "read", lent: 0, waiting: 0 };
  await database.transaction(async () => {
    const second = database.writer.query("SELECT 1").catch((error: unknown) => error);
    expect(database.pools()).toEqual([{ endpoint: "write", lent: 1, waiting: 1 }, read]);
    expect(await second).toMatchObject({ code: "DATABASE_TIMEOUT" });
  });
  expect(await database.writer.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
  await database.reader.query("SELECT 1");
  expect(database.pools()).toEqual([{ endpoint: "write", lent: 0, waiting: 0 }, read]);
  expect(waits[0]).toMatch(/^write/);
  expect(waits.filter((wait) => wait === "write late").length).toBeGreaterThan(0);
  expect(waits.at(-1)).toMatch(/^read/);
});

test("each endpoint says whether it responds, and a read-only server is no write endpoint", async () => {
  const endpoints = ["write", "read"] as const;
  const respond = (...[options]: Parameters<typeof connect>) =>
    Promise.all(endpoints.map((name) => connect(options).responds(name)));
  expect(await respond()).toEqual([true, true]);
  expect(await respond({ writeUrl: readUrl })).toEqual([false, true]);
  expect(await respond({ readUrl: noServer })).toEqual([true, false]);
});

test("close waits for running work and rejects later calls", async () => {
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

test("close waits for a hanging transaction at most the query timeout", async () => {
  const database = connect({ queryTimeoutMs: 1500 });
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
