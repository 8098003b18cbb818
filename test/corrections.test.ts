import { eventIdOfKey } from "@tally/contract";
import { expect, test, vi } from "vitest";
import { postJson, sold } from "./kit/sales.ts";
import { startSystem } from "./kit/system.ts";
import { tallyJson } from "./kit/tally.ts";

const system = await startSystem();
const { url } = system;

const get = async (path: string): Promise<unknown> => (await fetch(url + path)).json();
// The read endpoint may be behind.
const shows = (path: string, expected: object) =>
  vi.waitFor(async () => expect(await get(path)).toMatchObject(expected), 20_000);
const becomes = (id: string, state: string) => shows(`/events/${id}`, { state });

const refund = (line: number, numberOfItems: number) => ({
  storeID: 6,
  date: "20261121",
  lines: [{ line, ItemID: 9, numberOfItems }],
});
async function refunded(sale: string, body: object, key: string): Promise<string> {
  const response = await postJson(`${url}/purchases/${sale}/refunds`, body, { "idempotency-key": key });
  expect(response.status).toBe(201);
  return response.headers.get("tally-event-id") ?? "";
}

test("a refund counts in its own store and day; what is too much is rejected; both can be read", async () => {
  const sale = await sold(url, 5, { item: 9, quantity: 4 });
  await becomes(sale, "stored");
  // The ids are hashes: the first refund gets the greater one.
  const idOf = (key: string) => eventIdOfKey(`purchases/refund/${sale}`, key);
  const [one = "", other = ""] = ["a", "b"].toSorted((a, b) => (idOf(a) < idOf(b) ? 1 : -1));
  const first = await refunded(sale, refund(0, 2), one);
  await becomes(first, "stored");
  await becomes(await refunded(sale, refund(0, 3), "too-many"), "rejected");
  const second = await refunded(sale, refund(0, 1), other);
  await becomes(second, "stored");
  const [line, arrivedAt] = [{ line: 0, ItemID: 9 }, expect.stringMatching(/^2.*Z$/)];
  await shows(`/purchases/${sale}`, {
    eventID: sale,
    corrections: [
      { eventID: first, kind: "refund", storeID: 6, arrivedAt, items: [{ ...line, numberOfItems: 2 }] },
      { eventID: second, kind: "refund", storeID: 6, arrivedAt, items: [{ ...line, numberOfItems: 1 }] },
    ],
    refundable: [{ ...line, numberOfItems: 1 }],
  });
  const items = [{ ...line, numberOfItems: 2 }];
  await shows("/purchases/latest?storeID=6", {
    purchases: [],
    refunds: [{ eventID: second }, { eventID: first, saleEventID: sale, date: "20261121", items, arrivedAt }],
  });
  await shows("/purchases/latest?storeID=5", { purchases: [{ eventID: sale, refundedItems: 3 }] });
  await shows("/stores/5/top-items?date=20261120", { items: [{ itemID: 9, quantity: 4 }] });
  await shows("/stores/6/top-items?date=20261121", { items: [{ itemID: 9, quantity: -3 }] });
});

test("a void is one event however often it is sent, and leaves the sale on no board", async () => {
  const sale = await sold(url, 7, { item: 10, quantity: 4 });
  const toVoid = (id: string) => postJson(`${url}/purchases/${id}/void`, undefined);
  const voids = await Promise.all([sale, sale.toUpperCase()].map(toVoid));
  const ids = new Set(voids.map(({ headers }) => headers.get("tally-event-id") ?? ""));
  expect([voids.map(({ status }) => status), ids.size]).toEqual([[201, 201], 1]);
  for (const id of ids) await becomes(id, "stored");
  await shows("/stores/7/top-items", { items: [] });
  await shows("/items/10/top-stores", { stores: [] });
  await shows("/purchases/latest?storeID=7", { purchases: [{ eventID: sale, voided: true }] });
});

test("a refund before its sale is parked, and stored when the sale comes", async () => {
  const sale = "00000000-0000-7000-8000-000000000001";
  await becomes(await refunded(sale, refund(0, 1), "of-no-sale"), "parked");
  expect((await fetch(`${url}/purchases/${sale}`)).status).toBe(404);
  const key = "till-8-000001";
  const body = [{ sale: { storeID: 8, idempotencyKey: key }, ...refund(0, 4), idempotencyKey: "early" }];
  const response = await postJson(`${url}/refunds`, body);
  const early = eventIdOfKey(`purchases/refund/${eventIdOfKey("purchases/8", key)}`, "early");
  expect(await response.json()).toMatchObject({ results: [{ status: 201, id: early }] });
  await becomes(early, "parked");
  await sold(url, 8, { item: 9, quantity: 4, headers: { "idempotency-key": key } });
  await becomes(early, "stored");
  expect(await tallyJson(system, "audit", "--full")).toMatchObject({ agrees: true, underWay: [] });
});

test("a refund without a key, of a wrong id, or after tomorrow is 400, with the field", async () => {
  const sale = "00000000-0000-7000-8000-000000000002";
  for (const [path, body, message] of [
    [`/purchases/${sale}/refunds`, refund(0, 1), /"Idempotency-Key: expected/],
    ["/purchases/5/void", undefined, /"eventID: expected the event id of a purchase/],
    ["/refunds", [{ ...refund(0, 1), idempotencyKey: "k" }], /"eventID: expected one of eventID and sale/],
    ["/refunds", [{ eventID: sale, ...refund(0, 1), date: "99991231", idempotencyKey: "k" }], /"date: expected/],
  ] as const) {
    const response = await postJson(url + path, body);
    expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(message)]);
  }
});
