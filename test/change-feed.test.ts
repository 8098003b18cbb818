import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openInside } from "@tally/bench/inside";
import { utcDayOf } from "@tally/contract";
import { openTcpProxy } from "@tally/local";
import { atEnd, awayFromMidnight, temporaryDirectory } from "@tally/local/at-end";
import { beforeEach, expect, inject, test, vi } from "vitest";
import { root, startProcess } from "./kit/programs.ts";
import { postJson, sell, sold } from "./kit/sales.ts";
import { cellsOfBoards, countOf, openDatabase, startSystem } from "./kit/system.ts";

const subscriberMain = join(root, "packages", "broker", "examples", "subscriber.ts");
const items = [{ line: 0, ItemID: 9, numberOfItems: 1 }];
await awayFromMidnight(300_000);
beforeEach(() => awayFromMidnight());
const inside = await openInside(join(await temporaryDirectory(), "inside"), undefined);
const broker = await openTcpProxy(inject("services").accounts.ranker.amqpUrl);
atEnd(() => broker.close());
const system = await startSystem(
  { CHANGE_FEED: "on" },
  {
    execArgv: (app) => (app === "writer" ? inside.flags(app, app) : []),
    environmentOf: (app) => (app === "ranker" ? { AMQP_URL: broker.url } : {}),
  },
);
const database = openDatabase(system);
const file = join(await temporaryDirectory(), "purchases.sqlite");

async function subscribe() {
  const environment = { AMQP_URL: system.addresses.amqpUrl, NAMESPACE: system.namespace };
  const subscriber = startProcess(process.execPath, [subscriberMain, file], environment);
  await vi.waitFor(() => expect(subscriber.output()).toContain("subscribed"), 20_000);
  return subscriber;
}

/** Sells, and takes back a part of it; a void and a refund may come before their sale, and are parked. */
async function trade(store: number): Promise<void> {
  for (let n = 0; n < 8; n++) {
    const key = `${store}-${n}`;
    const sale = { storeID: store, idempotencyKey: key };
    const corrections = [
      () => postJson(`${system.url}/voids`, [{ sale }]),
      () => postJson(`${system.url}/refunds`, [{ sale, storeID: 70, date: "20261120", items, idempotencyKey: key }]),
    ];
    const toSell = () => sell(system.url, store, { headers: { "idempotency-key": key } });
    const correct = corrections[n % 4];
    for (const post of n >= 4 ? [correct, toSell] : [toSell, correct, toSell])
      if (post !== undefined) expect((await post()).status).toBe(201);
  }
}

const rowsOf = (sql: string) => database.writer.query<{ row: string }>(sql);
const subscribed = (sql: string): readonly string[] => {
  const local = new DatabaseSync(file, { readOnly: true });
  const rows = local.prepare(sql).all();
  local.close();
  return rows.map(({ row }) => String(row));
};

async function expectEqual(): Promise<void> {
  const stored = await rowsOf(`
    SELECT CONCAT(LOWER(HEX(id)), ' sale') AS row FROM purchases
    UNION ALL SELECT CONCAT(LOWER(HEX(id)), ' ', kind) FROM purchase_corrections`);
  const kept =
    "SELECT replace(id, '-', '') || ' ' || substr(type, 17, length(type) - 19) AS row FROM events WHERE type NOT LIKE '%alert%'";
  expect(subscribed(kept).toSorted()).toEqual(stored.map(({ row }) => row).toSorted());
  const [sums] = await rowsOf("SELECT CONCAT(SUM(quantity), '') AS row FROM purchase_items");
  const [back] = await rowsOf(
    `SELECT CONCAT(SUM(JSON_EXTRACT(items, '$[0][1]')), '') AS row FROM purchase_corrections`,
  );
  expect(subscribed("SELECT sum(units) AS row FROM sold")).toEqual([String(Number(sums?.row) + Number(back?.row))]);
}

const equal = () => vi.waitFor(expectEqual, { timeout: 30_000, interval: 100 });

test("a subscriber has each sale, void and refund exactly once, although it and the writer are killed at any point", async () => {
  let subscriber = await subscribe();
  let more = 0;
  for (const point of ["writer.after-commit", "writer.before-confirm", "writer.before-acknowledgement"] as const) {
    for (const passes of [0, 2]) {
      let isKilled = false;
      const crash = inside.crash("writer", point, passes).then(() => (isKilled = true));
      await trade(1 + Math.floor(Math.random() * 1e6));
      // A busy writer stores all of it in few transactions.
      for (; !isKilled; more++) await sold(system.url, 99);
      await crash;
      await system.writer.start();
    }
    subscriber.kill("SIGKILL");
    await subscriber.ended;
    subscriber = await subscribe();
  }
  const waiting = "dead_letters WHERE state = 'parked'";
  const counts = () => Promise.all(["purchases", "purchase_corrections"].map((of) => countOf(database, of)));
  await expect.poll(counts).toEqual([48 + more, 24]);
  await expect.poll(() => countOf(database, waiting)).toBe(0);
  await equal();
  expect(await counts()).toEqual([48 + more, 24]);
  await subscriber.stop();
});

test("a ranker notes an alert without a broker; killed before it is published, the next one publishes the same event", async () => {
  const execute = (sql: string) => database.transaction((tx) => tx.execute(sql));
  // The rule is off until the ranker stops: its look at the beginning of a quarter of an hour would find the refund.
  await execute("INSERT INTO alert_rules (rule, is_on) VALUES ('returns', 0)");
  const store = 1 + Math.floor(Math.random() * 1e6);
  const date = String(utcDayOf(Date.now()));
  const { headers } = await sell(system.url, store, { date, quantity: 40 });
  const refund = { storeID: store, date, items: [{ line: 0, ItemID: 9, numberOfItems: 30 }] };
  const path = `/purchases/${headers.get("tally-event-id")}/refunds`;
  const refunded = await postJson(system.url + path, refund, { "idempotency-key": "back" });
  expect(refunded.status).toBe(201);
  const isRanked = async () => (await cellsOfBoards(system)).includes(`store:${store} 9 10`);
  await expect.poll(isRanked).toBe(true);
  await system.ranker.stop();
  // The next look is the first one, which reads the refunds at once.
  for (const table of ["sales_alerts", "alert_rules"]) await execute(`DELETE FROM ${table}`);
  broker.become({ name: "frozen" });
  const starting = system.ranker.start().catch(() => undefined);
  const noted = () => rowsOf("SELECT event AS row FROM alert_events");
  // A look that fails is repeated a minute later.
  const looked = { timeout: 90_000 };
  await expect.poll(async () => (await noted()).length, looked).toBe(1);
  const [{ row } = { row: "{}" }] = await noted();
  system.ranker.kill("SIGKILL");
  await starting;
  broker.become({ name: "open" });
  await subscribe();
  await system.ranker.start();
  await expect.poll(noted, looked).toEqual([]);
  const { id, data } = JSON.parse(row);
  expect(data).toMatchObject({ rule: "returns", state: "on", storeID: store });
  const kept = () => subscribed("SELECT id || ' ' || data AS row FROM events WHERE type LIKE '%alert%'");
  await expect.poll(kept).toEqual([`${id} ${JSON.stringify(data)}`]);
  const metrics = async () => (await fetch(`http://127.0.0.1:${system.ranker.port}/metrics`)).text();
  await expect.poll(metrics).toMatch(/^tally_ranker_alerts\{.*rule="returns".*\} 1$/m);
});
