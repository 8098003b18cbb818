import type { Database } from "@tally/database";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openDatabase } from "./rankings-equal-rows.ts";
import { startSystem, type TestSystem } from "./start-system.ts";

let system: TestSystem;
let database: Database;

beforeAll(async () => {
  system = await startSystem({}, { instances: { gateway: 2 } });
  database = openDatabase(system);
});
afterAll(async () => {
  await database.close();
  await system.stop();
});

const post = async (gateway: number, store: number, key: string | undefined) => {
  const response = await fetch(`${system.urls[gateway % 2]}/purchase/${store}/customer/1/date/20261120`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key === undefined ? {} : { "idempotency-key": key }) },
    body: JSON.stringify({ items: [{ ItemID: 9, numberOfItems: 4 }] }),
  });
  expect(response.status).toBe(201);
  return response.headers.get("tally-event-id");
};
const rowsOf = (store: number) => database.writer.query("SELECT id FROM purchases WHERE store_id = ?", [store]);
/** So many sales of 4 pieces are rows of a store, and on its board; and stay so when whatever comes after them has come through. */
async function expectSales(store: number, sales: number): Promise<void> {
  const counted = async (): Promise<unknown> => (await fetch(`${system.url}/items/store/${store}`)).json();
  const expected = { stores: [{ itemID: 9, numberOfItems: 4 * sales }] };
  await vi.waitFor(async () => expect(await counted()).toEqual(expected), 15_000);
  const later = await post(0, 1_000_000, undefined);
  await vi.waitFor(async () => {
    const answer = await (await fetch(`${system.url}/events/${later}`)).text();
    expect(answer).toContain('"ranked":true');
  }, 15_000);
  expect(await counted()).toEqual(expected);
  expect(await rowsOf(store)).toHaveLength(sales);
}

test("one key sent many times at once to both gateways is one sale, counted once", async () => {
  const ids = await Promise.all(Array.from({ length: 40 }, (_, n) => post(n, 1, "the-sale")));
  expect(new Set(ids).size).toBe(1);
  await expectSales(1, 1);
});

test("so it is much later, at another gateway, after everything was started again", async () => {
  const first = await post(0, 2, "late");
  await expectSales(2, 1);
  for (const server of [...system.gateways, system.writer, system.ranker]) {
    await server.stop();
    await server.start();
  }
  expect(await post(1, 2, "late")).toBe(first);
  await expectSales(2, 1);
}, 90_000);

test("a retry while the writer is away, and the first is in flight, is the same sale", async () => {
  system.writer.kill("SIGSTOP");
  const ids = [await post(0, 3, "in-flight"), await post(1, 3, "in-flight"), await post(0, 3, "in-flight")];
  system.writer.kill("SIGCONT");
  expect(new Set(ids).size).toBe(1);
  await expectSales(3, 1);
});

test("a key counts within its store, and without a key every request is a sale of its own", async () => {
  const ids = [
    await post(0, 4, "same"),
    await post(0, 5, "same"),
    await post(0, 4, undefined),
    await post(1, 4, undefined),
  ];
  expect(new Set(ids).size).toBe(4);
  await expectSales(4, 3);
  await expectSales(5, 1);
});
