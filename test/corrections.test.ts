import { gzipSync } from "node:zlib";
import { join } from "node:path";
import { openInside } from "@tally/bench/inside";
import { eventIdOfKey, fieldIn, utcDayOf } from "@tally/contract";
import { temporaryDirectory } from "@tally/local/at-end";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { postJson, sell, sold } from "./kit/sales.ts";
import { startSystem } from "./kit/system.ts";
import { tallyJson } from "./kit/tally.ts";

const inside = await openInside(join(await temporaryDirectory(), "inside"), undefined);
const system = await startSystem(
  { BY: "quantity,grossSales,netSales", CURRENCY: "EUR" },
  { execArgv: (app) => inside.flags(app, app) },
);
const { url } = system;

const get = async (path: string): Promise<unknown> => (await fetch(url + path)).json();
// The read endpoint may be behind.
const shows = (path: string, expected: object) =>
  vi.waitFor(async () => expect(await get(path)).toMatchObject(expected), 60_000);
const becomes = (id: string, state: string) => shows(`/events/${id}`, { state });

const refund = (line: number, numberOfItems: number) => ({
  storeID: 6,
  date: "20261121",
  items: [{ line, ItemID: 9, numberOfItems }],
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
    state: "stored",
    corrections: [
      { eventID: first, kind: "refund", storeID: 6, arrivedAt, items: [{ ...line, numberOfItems: 2 }] },
      { eventID: second, kind: "refund", storeID: 6, arrivedAt, items: [{ ...line, numberOfItems: 1 }] },
    ],
    items: [{ ...line, numberOfItems: 4, refundable: 1 }],
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
  const path = `${url}/purchases/${sale}/void`;
  await becomes(sale, "stored");
  const wrong = await postJson(path, { storeID: 8 });
  expect([wrong.status, await wrong.json()]).toEqual([
    400,
    { message: "storeID: expected that of the purchase, got 8" },
  ]);
  const first = await postJson(path, { storeID: "007", reason: "mistyped" });
  const id = first.headers.get("tally-event-id") ?? "";
  await becomes(id, "stored");
  const voids = [
    first,
    ...(await Promise.all([undefined, {}, { reason: "late" }].map((body) => postJson(path, body)))),
  ];
  voids.push(
    await fetch(path.replace(sale, sale.toUpperCase()), { method: "POST", headers: { "content-type": "text" } }),
  );
  const none = { method: "POST", headers: { "content-encoding": "gzip" }, body: gzipSync("") };
  voids.push(await fetch(path, none));
  const sent = voids.map(({ status, headers }) => `${status} ${headers.get("tally-event-id")}`);
  expect([voids.length, new Set(sent)]).toEqual([6, new Set([`201 ${id}`])]);
  const entries = [
    { eventID: sale, storeID: 7, reason: "by mail" },
    { sale: { storeID: 7, idempotencyKey: "other" }, storeID: 8 },
  ];
  expect(await (await postJson(`${url}/voids`, entries)).json()).toMatchObject({
    results: [{ id }, { status: 400, error: "storeID: expected that of sale, got 8" }],
  });
  await becomes(await sold(url, 99), "stored");
  expect(await tallyJson(system, "dead-letters", "list", "--stage", "conflict")).toEqual([]);
  await shows(`/purchases/${sale}`, { corrections: [{ eventID: id, kind: "void", storeID: 7, reason: "mistyped" }] });
  await shows("/stores/7/top-items", { items: [] });
  await shows("/items/10/top-stores", { stores: [] });
  await shows(`/purchases/${sale}`, { items: [{ numberOfItems: 4, refundable: 0 }], corrections: [{ kind: "void" }] });
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
  // Of a sale that never comes: of the same sale, it could be stored instead of the early one.
  const keyless = [{ ...refund(0, 4), sale: { storeID: 8, idempotencyKey: "none" } }];
  const [one, again] = [1, 2].map(async () =>
    (await postJson(`${url}/refunds`, keyless, { "idempotency-key": "all" })).json(),
  );
  expect(await one).toMatchObject({ accepted: 1 });
  expect(await again).toEqual(await one);
  await sold(url, 8, { item: 9, quantity: 4, headers: { "idempotency-key": key } });
  await becomes(early, "stored");
  expect(await tallyJson(system, "audit", "--full")).toMatchObject({ agrees: true, underWay: [] });
});

const points = ["writer.before-commit", "writer.after-commit", "writer.before-acknowledgement"] as const;
const rankerPoints = ["ranker.before-commit", "ranker.before-acknowledgement"] as const;
const [many, kills, date] = [10, 2, String(utcDayOf(Date.now()))];
const taken = fc.record({ of: fc.nat(many - 1), units: fc.integer({ min: 1, max: 3 }), isVoid: fc.boolean() });
const kill = fc.record({ point: fc.constantFrom(...points, ...rankerPoints), passes: fc.nat(1) });
const listOf = <T>(one: fc.Arbitrary<T>, length: number) => fc.array(one, { minLength: length, maxLength: length });
const scenario = fc.record({
  sales: listOf(fc.integer({ min: 1, max: 4 }), many),
  takenBack: listOf(taken, many),
  // A correction may come before its sale, and each event twice.
  order: fc.shuffledSubarray([...Array(4 * many).keys()], { minLength: 4 * many }),
  killed: listOf(kill, kills),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

let store = 100;
async function expectSums({ sales, takenBack, order, killed }: Scenario): Promise<void> {
  store++;
  const idOf = (of: number) => eventIdOfKey(`purchases/${store}`, `sale-${of}`);
  const posts = [
    ...sales.map(
      (quantity, of) => () =>
        sell(url, store, {
          item: 9 + of,
          quantity,
          date,
          unitPrice: "2.5",
          headers: { "idempotency-key": `sale-${of}` },
        }),
    ),
    ...takenBack.map(({ of, units: numberOfItems, isVoid }, at) => () => {
      if (isVoid) return postJson(`${url}/purchases/${idOf(of)}/void`, undefined);
      const body = { storeID: store, date, items: [{ line: 0, ItemID: 9 + of, numberOfItems }] };
      return postJson(`${url}/purchases/${idOf(of)}/refunds`, body, { "idempotency-key": `back-${at}` });
    }),
  ];
  const ids: string[] = [];
  for (const [step, { point, passes }] of killed.entries()) {
    const app = point.startsWith("writer") ? "writer" : "ranker";
    let isKilled = false;
    const crash = inside.crash(app, point, passes).then(() => (isKilled = true));
    for (const one of order.filter((_, place) => place % kills === step)) {
      const response = await posts[one % posts.length]?.();
      expect(response?.status).toBe(201);
      ids[one % posts.length] = response?.headers.get("tally-event-id") ?? "";
    }
    while (!isKilled) await sold(url, 99);
    await crash;
    await system[app].start();
  }
  const stateOf = async (id: string) => {
    const state = fieldIn(await get(`/events/${id}`), "state");
    expect(state).toMatch(/^(stored|rejected)$/);
    return state;
  };
  const states = await vi.waitFor(() => Promise.all(ids.map(stateOf)), 60_000);
  expect(states.slice(0, many)).toEqual(sales.map(() => "stored"));
  const left = [...sales];
  for (const [at, { of, units, isVoid }] of takenBack.entries()) {
    const place = many + at;
    // A void that is sent twice is one event.
    if (states[place] !== "stored" || ids.indexOf(ids[place] ?? "") !== place) continue;
    left[of] = (left[of] ?? 0) - (isVoid ? (sales[of] ?? 0) : units);
  }
  expect(Math.min(...left)).toBeGreaterThanOrEqual(0);
  const sums = left.map((quantity, of) => ({ itemID: 9 + of, quantity })).filter(({ quantity }) => quantity > 0);
  const items = sums.toSorted((a, b) => b.quantity - a.quantity);
  const net = items.map(({ itemID, quantity }) => ({ itemID, netSales: (2.5 * quantity).toFixed(4) }));
  for (const day of ["", `date=${date}`]) {
    await shows(`/stores/${store}/top-items?${day}`, { items });
    await shows(`/stores/${store}/top-items?by=netSales&${day}`, { items: net });
  }
}

test("boards are the sums of all that is stored, though writer and ranker are killed between random steps", async () => {
  await fc.assert(fc.asyncProperty(scenario, expectSums), { numRuns: 2, endOnFailure: true });
  expect(await tallyJson(system, "audit", "--full")).toMatchObject({ agrees: true, underWay: [] });
});
