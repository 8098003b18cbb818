import { createPurchaseSender, createTallyClient, type RejectedPurchase } from "@tally/client";
import { expect, test, vi } from "vitest";
import { startSystem } from "./kit/system.ts";
import { createKey } from "./kit/tally.ts";

const system = await startSystem({ AUTH: "required" });
const { key: apiKey } = await createKey(system, "--scope", "*:read", "*:write");
const client = createTallyClient({ baseUrl: system.url, apiKey });

const items = [{ ItemID: 9, numberOfItems: 2 }];
const day = "20261120";

test("a typed POST and GET of a purchase; the same key is the same event", async () => {
  const sell = () =>
    client.POST("/purchase/{storeID}/customer/{custID}/date/{date}", {
      params: { path: { storeID: "5", custID: "1", date: day }, header: { "Idempotency-Key": "receipt-1" } },
      body: { items },
    });
  const [first, second] = [await sell(), await sell()];
  expect([first.response.status, second.response.status]).toEqual([201, 201]);
  const id = first.response.headers.get("tally-event-id");
  expect(second.response.headers.get("tally-event-id")).toBe(id);
  await vi.waitFor(async () => {
    const { data } = await client.GET("/stores/{storeID}/top-items", { params: { path: { storeID: "5" } } });
    expect(data?.items).toEqual([{ rank: 1, itemID: 9, quantity: 2 }]);
  }, 20_000);
});

test("each purchase of a sender is settled by its own result", async () => {
  const rejected: RejectedPurchase[] = [];
  const sender = createPurchaseSender({ baseUrl: system.url, apiKey, onRejected: (one) => rejected.push(one) });
  const sale = { storeID: 6, custID: 1, date: day, items };
  const added = await Promise.all([
    sender.add({ ...sale, idempotencyKey: "a" }),
    sender.add({ ...sale, date: "20261131" }),
    sender.add({ ...sale, idempotencyKey: "a" }),
    sender.add({ ...sale, custID: 2, idempotencyKey: "a" }),
    sender.add(sale),
    sender.add(sale),
  ]);
  expect(await sender.close({ withinMs: 30_000 })).toEqual({ waiting: 0 });
  const settled = await Promise.all(added.map((one) => one.settled));
  const ids = settled.map((one) => (one.outcome === "accepted" ? one.id : one.outcome));
  expect(ids[2]).toBe(ids[0]);
  expect([ids[1], ids[3]]).toEqual(["rejected", "rejected"]);
  expect(new Set(ids).size).toBe(4);
  expect(rejected.map(({ purchase, status }) => [purchase.custID, purchase.date, status])).toEqual([
    [1, "20261131", 400],
    [2, day, 422],
  ]);
});
