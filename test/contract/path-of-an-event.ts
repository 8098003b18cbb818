import { expect, test, vi } from "vitest";
import { recorded, type Contract } from "./contract.ts";
import { RawConnection } from "../http/raw-connection.ts";

const read = async (connection: RawConnection, path: string): Promise<unknown> =>
  JSON.parse((await connection.get(path)).body);

/** docs/path-of-an-event.md as a test: the same steps in the same order, each seen from outside. */
export function pathOfAnEvent(contract: Contract): void {
  test("the path of an event: acknowledged, stored in one transaction, ranked, read", async () => {
    const connection = new RawConnection(contract.system().url);
    // 1. The gateway accepts a purchase and responds when it is on disk at the broker.
    const body = '{"items":[{"ItemID":"71","numberOfItems":3},{"ItemID":"72","numberOfItems":1}]}';
    const accepted = recorded(contract, await connection.post("/purchase/5/customer/5001/date/20261120", body));
    expect(accepted.status).toBe(201);
    const id = accepted.headers.get("tally-event-id") ?? "";
    expect(id).not.toBe("");

    // 2. The writer has written its rows, and its batch into the ledger.
    const { writer } = contract.database();
    const hex = id.replaceAll("-", "");
    const sale = `SELECT store_id, customer_id, purchased_on, events, changes, refused FROM purchases
      JOIN batches USING (producer, sequence) WHERE id = UNHEX(?)`;
    await vi.waitFor(
      async () =>
        expect(await writer.query(sale, [hex])).toEqual([
          { store_id: 5, customer_id: 5001, purchased_on: "2026-11-20", events: 1, changes: 1, refused: 0 },
        ]),
      10_000,
    );
    const items = "SELECT line, item_id, quantity FROM purchase_items WHERE purchase_id = UNHEX(?)";
    expect(await writer.query(items, [hex])).toEqual([
      { line: 0, item_id: 71, quantity: 3 },
      { line: 1, item_id: 72, quantity: 1 },
    ]);

    // 3. The ranker has counted it on the boards of its store and of its items.
    await vi.waitFor(
      async () => expect(await read(connection, `/events/${id}`)).toMatchObject({ stored: true, ranked: true }),
      10_000,
    );

    // 4. Reads: rankings with their age, rows from the read endpoint.
    const asOf = expect.stringMatching(/^20\d\d-\d\d-\d\dT/);
    const purchase = { ItemID: 71, numberOfItems: 3 };
    const all = { storeID: 5, custID: 5001, date: "20261120", items: [purchase, { ItemID: 72, numberOfItems: 1 }] };
    for (const [path, expected] of [
      [
        "/items/store/5",
        {
          stores: [
            { itemID: 71, numberOfItems: 3 },
            { itemID: 72, numberOfItems: 1 },
          ],
        },
      ],
      ["/items/top5/71", { stores: [{ storeID: 5, numberOfItems: 3 }] }],
      ["/stores/5/top-items?limit=1", { storeID: 5, asOf, items: [{ itemID: 71, quantity: 3 }] }],
      ["/items/72/top-stores", { itemID: 72, stores: [{ storeID: 5, quantity: 1 }] }],
      ["/purchases?storeID=5&date=20261120&customer=5001", { purchases: [{ eventID: id, ...all }], nextCursor: null }],
      ["/stores/5/top-items?date=20261120&limit=1", { date: "20261120", items: [{ itemID: 71, quantity: 3 }] }],
    ] as const)
      await vi.waitFor(async () => expect(await read(connection, path)).toMatchObject(expected), 10_000);
    connection.destroy();
  });
}
