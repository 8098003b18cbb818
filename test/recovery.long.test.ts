import { setTimeout as delay } from "node:timers/promises";
import { dropTestDatabase, recreateTestDatabase } from "@tally/database/own-database";
import { silentLog } from "@tally/runtime";
import { connectConsumer } from "@tally/broker";
import { queuesOf } from "@tally/contract";
import { expect, onTestFinished, test, vi } from "vitest";
import { sold } from "./kit/sales.ts";
import { cellsOfBoards, cellsOfRows, countOf, openDatabase, openRedis, startSystem } from "./kit/system.ts";
import { expectEnd, runTally } from "./kit/tally.ts";

const system = await startSystem();
const database = openDatabase(system);
const redis = openRedis(system);

let sales = 0;
async function sell(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const sale = sales++;
    await sold(system.url, sale % 3, { item: sale % 5, quantity: 1, headers: { "idempotency-key": `sale-${sale}` } });
  }
}

const shard = `${system.namespace}:{purchases:0:v2}`;
const storedAll = () => expect.poll(() => countOf(database, "purchases"), { timeout: 60_000 }).toBe(sales);
const expectEqual = async () => expect(await cellsOfBoards(system)).toEqual(await cellsOfRows(database));
/** Every sale is a row, and every board equals the rows. */
async function equal(): Promise<void> {
  await storedAll();
  await vi.waitFor(expectEqual, { timeout: 60_000, interval: 200 });
}

test("the ranker rebuilds the rankings after a script that failed half-way", async () => {
  await expect.poll(() => redis.get(`${shard}:generation`), { timeout: 120_000 }).not.toBeNull(); // the first one is built
  const live = `${shard}:${await redis.get(`${shard}:generation`)}`;
  await redis.set(`${live}:b:store:0`, "no sorted set");
  await sell(3);
  await equal();
});

/** Stops the ranker until the end of the test, when everything is ranked. */
async function withoutRanker(): Promise<void> {
  await equal();
  await system.ranker.stop();
  onTestFinished(() => system.ranker.start());
}

test("repair adds batches whose messages were lost; if the ledger lacks them too, it asks for a rebuild", async () => {
  await withoutRanker();
  await sell(10);
  await storedAll();
  let taken = 0;
  const queues = queuesOf(system.namespace, "purchases");
  const thief = connectConsumer({
    url: system.addresses.amqpUrl,
    connectionName: "test",
    queues: Object.values(queues),
    queue: queues.rank.name,
    prefetch: 100,
    onDelivery(delivery) {
      delivery.ack();
      taken++;
    },
    log: silentLog,
  });
  await expect.poll(() => taken).toBeGreaterThanOrEqual(10);
  await delay(500); // for one that is delivered again
  await thief.close();
  expect(await cellsOfBoards(system)).not.toEqual(await cellsOfRows(database));
  expectEnd(await runTally(system, ["repair"]), 0, /checked \d+ batches, ranked 10 of them/);
  await expectEqual();
  expect((await runTally(system, ["repair"])).output).toMatch(/ranked 0 of them/);

  await redis.del(await redis.keys(`${shard}:*:applied:*`));
  await database.writer.query("UPDATE batches SET moves = NULL");
  const unread = /\d+ batches are not ranked, and their ranking messages cannot be read .* run tally rebuild/;
  expectEnd(await runTally(system, ["repair"]), 1, unread);
  expect(await runTally(system, ["rebuild"])).toMatchObject({ exitCode: 0 });
  await expectEqual();
  expect((await runTally(system, ["audit"])).exitCode).toBe(0);
});

test("a rebuild reads the write endpoint when the read endpoint lacks batches whose messages cannot be read", async () => {
  await withoutRanker();
  const behind = system.addresses.databaseWriteUrl.replace(/_test$/, "_behind_test");
  await recreateTestDatabase(behind);
  onTestFinished(() => dropTestDatabase(behind));
  expect((await runTally(system, ["migrate"], { DATABASE_WRITE_URL: behind })).exitCode).toBe(0);
  for (const table of ["batches", "purchases"]) {
    await database.writer.query(`INSERT INTO ${new URL(behind).pathname.slice(1)}.${table} SELECT * FROM ${table}`);
  }
  await sell(10);
  await storedAll();
  await database.writer.query("UPDATE batches SET moves = NULL");
  expect((await runTally(system, ["repair"])).output).toContain(
    "10 batches are not ranked, and their ranking messages cannot be read",
  );
  const batches = await countOf(database, "batches");
  const rebuilt = new RegExp(`^purchases: \\d+ cells from ${batches} batches, plus 0 batches stored meanwhile`, "m");
  expectEnd(await runTally(system, ["rebuild"], { DATABASE_READ_URL: behind }), 0, rebuilt);
  await expectEqual();
});

test("while Redis has lost the rankings and no ranker runs, they are 503, not empty", async () => {
  await withoutRanker();
  await redis.del(await redis.keys(`${system.namespace}:{*`));
  for (const path of [
    "/review/0190a1b2-c3d4-7e5f-8a9b-0123456789ab",
    "/albums/top",
    "/steps/top?day=1",
    "/swipes/top",
    "/resort/day/top10vert?resort=R&dayID=1",
  ]) {
    const { status, headers } = await fetch(system.url + path);
    expect([path, status, headers.get("retry-after")]).toEqual([path, 503, "2"]);
  }
});
