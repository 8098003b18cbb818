import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openDatabase } from "./rankings-equal-rows.ts";
import { startSystem, type TestSystem } from "./start-system.ts";

/*
 * docs/path-of-an-event.md as a test: the same steps in the same order, each seen from outside.
 */

let system: TestSystem;
let id = "";

beforeAll(async () => {
  system = await startSystem();
});
afterAll(() => system.stop());

const get = async (path: string) => {
  const response = await fetch(system.url + path);
  const body: unknown = await response.json();
  return { status: response.status, body };
};

test("1. the gateway takes a purchase and answers when it is on disk at the broker", async () => {
  const response = await fetch(`${system.url}/purchase/5/customer/5001/date/20261120`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"items":[{"ItemID":"85571","numberOfItems":3},{"ItemID":"12","numberOfItems":1}]}',
  });
  expect(response.status).toBe(201);
  id = response.headers.get("tally-event-id") ?? "";
  expect(id).not.toBe("");
});

test("2. the writer has written its rows, and its batch into the ledger, in one transaction", async () => {
  const database = openDatabase(system);
  try {
    const hex = id.replaceAll("-", "");
    await vi.waitFor(async () => {
      const found = await database.writer.query(
        `SELECT store_id, customer_id, purchased_on, events, changes, refused FROM purchases
         JOIN batches USING (producer, sequence) WHERE id = UNHEX(?)`,
        [hex],
      );
      expect(found).toEqual([
        { store_id: 5, customer_id: 5001, purchased_on: "2026-11-20", events: 1, changes: 1, refused: 0 },
      ]);
    });
    const items = await database.writer.query(
      "SELECT line, item_id, quantity FROM purchase_items WHERE purchase_id = UNHEX(?)",
      [hex],
    );
    expect(items).toEqual([
      { line: 0, item_id: 85571, quantity: 3 },
      { line: 1, item_id: 12, quantity: 1 },
    ]);
  } finally {
    await database.close();
  }
});

test("3. the ranker has counted it on the boards of its store and of its items", async () => {
  await vi.waitFor(async () => expect((await get(`/events/${id}`)).body).toMatchObject({ stored: true, ranked: true }));
  expect((await get("/items/store/5")).body).toEqual({
    stores: [
      { itemID: 85571, numberOfItems: 3 },
      { itemID: 12, numberOfItems: 1 },
    ],
  });
  expect((await get("/items/top5/85571")).body).toEqual({ stores: [{ storeID: 5, numberOfItems: 3 }] });
});

test("4. reads: rankings with their age, rows from the read endpoint", async () => {
  const board = await get("/stores/5/top-items?limit=1");
  expect(board.body).toMatchObject({ storeID: 5, items: [{ itemID: 85571, quantity: 3 }] });
  expect(board.body).toHaveProperty("asOf", expect.stringMatching(/^20\d\d-\d\d-\d\dT/));
  expect((await get("/items/12/top-stores")).body).toMatchObject({ itemID: 12, stores: [{ storeID: 5, quantity: 1 }] });
  await vi.waitFor(async () => {
    expect((await get("/purchases?storeID=5&date=20261120&customer=5001")).body).toEqual({
      purchases: [
        {
          eventID: id,
          storeID: 5,
          custID: 5001,
          date: "20261120",
          items: [
            { ItemID: 85571, numberOfItems: 3 },
            { ItemID: 12, numberOfItems: 1 },
          ],
        },
      ],
      nextCursor: null,
    });
    expect((await get("/stores/5/top-items?date=20261120&limit=1")).body).toMatchObject({
      date: "20261120",
      items: [{ itemID: 85571, quantity: 3 }],
    });
  });
});

test("5. an id that is nowhere is neither stored nor ranked", async () => {
  expect((await get("/events/0199f0a0-1111-7111-8111-111111111111")).body).toMatchObject({
    stored: false,
    ranked: false,
  });
});
