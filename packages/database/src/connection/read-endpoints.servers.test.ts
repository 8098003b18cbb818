import { openTcpProxy } from "@tally/local";
import { expect, onTestFinished, test, vi } from "vitest";
import { ownDatabase } from "./own-database.test-kit.ts";

const { writeUrl, readUrl, connect } = ownDatabase();

/** The replica and the primary as the servers of one read endpoint, each behind a proxy. */
async function open() {
  const proxies = [await openTcpProxy(readUrl), await openTcpProxy(writeUrl)] as const;
  onTestFinished(() => Promise.all(proxies.map((proxy) => proxy.close())).then(() => undefined));
  const database = connect({ readUrl: proxies.map(({ url }) => url).join(","), queryTimeoutMs: 5000 });
  onTestFinished(() => database.close());
  const server = async () => (await database.reader.query<{ id: number }>("SELECT @@server_id AS id"))[0]?.id;
  /** The servers of the next four reads. */
  const servers = async () => new Set([await server(), await server(), await server(), await server()]);
  return { database, proxies, servers };
}

test("while a server is down, reads go to the others without an error; it serves again when it responds", async () => {
  const { database, proxies, servers } = await open();
  proxies[0].become({ name: "cut" });
  expect((await servers()).size).toBe(1);
  expect(database.replicas.map(({ isUp }) => isUp)).toEqual([false, true]);
  proxies[0].become({ name: "open" });
  await vi.waitFor(() => expect(database.replicas[0]?.isUp).toBe(true), 30_000);
  expect((await servers()).size).toBe(2);
});

test("a frozen server costs reads one timeout each, and then serves none", async () => {
  const { database, proxies, servers } = await open();
  await servers();
  proxies[1].become({ name: "frozen" });
  expect(await database.responds("read")).toBe(true);
  const first = await Promise.allSettled([1, 2].map(() => database.reader.query("SELECT 1")));
  expect(first.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  expect((await servers()).size).toBe(1);
});

test("a server that is behind serves reads only when no other is up", async () => {
  const { database, proxies, servers } = await open();
  const [first] = database.replicas;
  if (first !== undefined) first.isBehind = true;
  const [primary] = await servers();
  expect((await servers()).size).toBe(1);
  proxies[1].become({ name: "cut" });
  const [replica, ...more] = await servers();
  expect([replica === primary, more]).toEqual([false, []]);
  proxies[1].become({ name: "open" });
  await vi.waitFor(async () => expect(await servers()).toEqual(new Set([primary])), 30_000);
});

test("a snapshot skips a server that is down", async () => {
  const { database, proxies } = await open();
  proxies[1].become({ name: "cut" });
  for (let n = 0; n < 4; n++) {
    const rows = await database.snapshot("read", (reader) => reader.query("SELECT 1 AS one"));
    expect(rows).toEqual([{ one: 1 }]);
  }
});

test("empty entries and spaces in the list of servers mean nothing", async () => {
  const database = connect({ readUrl: ` ${readUrl}, ,${readUrl},` });
  expect(database.replicas).toHaveLength(2);
  expect(await database.reader.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
});
