import { setTimeout as delay } from "node:timers/promises";
import { countLetters, findLetters, openParked, readyLetters } from "@tally/database";
import { newEventId, utcDayOf, type Event, type SeriesSettings } from "@tally/contract";
import { lookAt } from "@tally/reconcile";
import { silentLog } from "@tally/runtime";
import { expect, onTestFinished, test, vi } from "vitest";
import { storeParked } from "./parked-events.ts";
import { bodyOf, hexOf, purchases, purchasesDatabase, sale, storeIn } from "./purchases.test-kit.ts";

const own = purchasesDatabase();

function open(series?: SeriesSettings) {
  const database = own.connect();
  const storeBody = (...bodies: readonly Buffer[]) =>
    database.transaction((transaction) => storeIn(transaction, bodies, { series }));
  const stateOf = async ({ id }: Event) => {
    if ((await purchases.store.locate(database.writer, id)) !== undefined) return "stored";
    const [letter] = await findLetters(database.writer, [id]);
    return letter === undefined ? "unknown" : `${letter.state}: ${letter.reason}`;
  };
  return { database, storeBody, store: (...events: readonly Event[]) => storeBody(bodyOf(events)), stateOf };
}

const correction = (fields: object): Event => ({ id: newEventId(), ...fields });
const voidOf = ({ id: saleId }: Event) => correction({ kind: "void", saleId });
const refundOf = ({ id: saleId }: Event, quantity: number) =>
  correction({ kind: "refund", saleId, storeId: 70, date: 20261125, lines: [[0, 5, quantity]] });

/** The sum of what counts for an item in all stores. */
async function soldOf(database: ReturnType<typeof own.connect>, sales: readonly Event[]): Promise<number> {
  const ids = sales.map((one) => Buffer.from(hexOf(one), "hex"));
  const rows = await database.writer.query<{ items: string }>(
    `SELECT CAST(items AS CHAR) AS items FROM purchases WHERE id IN (?)
     UNION ALL SELECT CAST(items AS CHAR) FROM purchase_corrections WHERE sale_id IN (?)`,
    [ids, ids],
  );
  const items = rows.flatMap((row): [number, number][] => JSON.parse(row.items));
  return items.reduce((sum, [, quantity]) => sum + quantity, 0);
}

test("a correction in the transaction of its sale is stored, in any order of the events", async () => {
  const { database, store, stateOf } = open();
  const [first, second] = [sale(2), sale(2)];
  const [voided, refund] = [voidOf(first), refundOf(second, 2)];
  await store(voided, refund, second, first);
  expect([await stateOf(voided), await stateOf(refund), await soldOf(database, [first, second])]).toEqual([
    "stored",
    "stored",
    0,
  ]);
});

test("of two refunds of the last unit the first to arrive is stored, in one batch and in two", async () => {
  const { store, storeBody, stateOf } = open();
  for (const batches of [1, 2]) {
    const sold = sale(2, { lines: [[5, 1]] });
    await store(sold);
    // The second id is greater, and arrives first.
    const [later, earlier] = [refundOf(sold, 1), refundOf(sold, 1)];
    await storeBody(...(batches === 1 ? [bodyOf([earlier, later])] : [bodyOf([earlier]), bodyOf([later])]));
    expect(await Promise.all([earlier, later].map(stateOf))).toEqual([
      "stored",
      expect.stringMatching(/^open: line 0/),
    ]);
  }
});

test("a correction that comes again is one row and no letter, and with other content a conflict", async () => {
  const { database, store, stateOf } = open();
  const sold = sale(4);
  const refund = refundOf(sold, 1);
  await store(sold, refund);
  const before = await countLetters(database.writer);
  expect(await store(refund)).toMatchObject({ changes: 0, conflicts: [], refused: [] });
  const tooMany = refundOf(sold, 9);
  expect(await store(refund, tooMany)).toMatchObject({ changes: 0, conflicts: [], refused: [{ id: tooMany.id }] });
  expect(await store({ ...refundOf(sold, 2), id: refund.id })).toMatchObject({
    changes: 0,
    conflicts: [{ stage: "conflict", messageId: refund.id }],
  });
  expect([await stateOf(refund), await soldOf(database, [sold])]).toEqual(["stored", 1]);
  expect(await countLetters(database.writer)).toEqual({ ...before, open: before.open + 2 });
});

test("no more are stored than were sold when refunds are read in another order than they were stored", async () => {
  const { store, stateOf } = open();
  // 3 units for 9.0000. The second refund gets the 2.0000 that are left; read first, it would get a third of them.
  const sold = sale(8, { lines: [[5, 3, 30_000, 0]] });
  await store(sold);
  const [second, third] = [refundOf(sold, 1), refundOf(sold, 2)];
  // Its id is larger, so it is read last.
  const first = { ...refundOf(sold, 1), lines: [[0, 5, 1, 70_000]] };
  for (const one of [first, second, third]) await store(one);
  expect(await Promise.all([first, second].map(stateOf))).toEqual(["stored", "stored"]);
  expect(await stateOf(third)).toBe("open: line 0: 3 were sold and 2 taken back, so not 2 more");
});

/** Stores parked events through the given writer until the test ends. */
function storingParked({ database, storeBody }: Pick<ReturnType<typeof open>, "database" | "storeBody">): void {
  const controller = new AbortController();
  const work = storeParked({
    domain: purchases,
    awaited: "purchases",
    database,
    writer: { take: (delivery) => void storeBody(delivery.body).then(() => delivery.ack()) },
    signal: controller.signal,
    log: silentLog,
  });
  onTestFinished(() => {
    controller.abort();
    return work;
  });
}

test("a look that was slow, as in an outage, is repeated after 10 s", async () => {
  const { database, store, storeBody, stateOf } = open();
  let looks = 0;
  const slow: typeof database.writer.query = async (...query) => {
    if (looks++ === 0) await delay(1500);
    return database.writer.query(...query);
  };
  storingParked({ database: { ...database, writer: { ...database.writer, query: slow } }, storeBody });
  const sold = sale(8);
  const refund = refundOf(sold, 1);
  await vi.waitFor(() => expect(looks).toBe(1), 10_000);
  await store(refund);
  await delay(2000);
  await store(sold);
  // A twentieth of the time for looks would be 30 s.
  await vi.waitFor(async () => expect(await stateOf(refund)).toBe("stored"), 25_000);
});

test("a system has not drained while a parked event can be stored; all that are stored are settled at once", async () => {
  const system = open();
  const { database, store } = system;
  const sold = sale(8, { lines: [[5, 3]] });
  const look = lookAt({
    domains: [purchases],
    namespace: "tally",
    database,
    rankings: { state: async () => ({ name: "whole" }), unmarked: async () => [] },
    queueDepth: async () => 0,
    endpoint: "write",
  });
  const underWay = async () => (await look()).underWay(60_000);
  await store(...[1, 1, 1].map((quantity) => refundOf(sold, quantity)));
  expect(await underWay()).toEqual([]);
  await store(sold);
  expect(await underWay()).toEqual(["events of purchases that waited for others are not stored yet"]);
  const transactions = vi.spyOn(database, "transaction");
  storingParked(system);
  await vi.waitFor(async () => expect(await underWay()).toEqual([]), 60_000);
  // One stores them, one settles them, one may open old ones.
  expect(transactions.mock.calls.length).toBeLessThanOrEqual(3);
});

test("a parked event is opened after 7 days, whatever the clocks of writers say", async () => {
  const { database, store, storeBody, stateOf } = open();
  const refund = refundOf(sale(7), 1);
  const before = Date.now();
  const clock = vi.spyOn(Date, "now").mockReturnValue(before - 8 * 86_400_000);
  onTestFinished(() => clock.mockRestore());
  await store(refund);
  clock.mockReturnValue(before + 8 * 86_400_000);
  const opening = vi.spyOn(database, "transaction");
  storingParked({ database, storeBody });
  await vi.waitFor(() => expect(opening).toHaveResolved(), 20_000);
  const opened = (days: number) =>
    database.transaction((transaction) => openParked(transaction, "purchases", before + days * 86_400_000));
  await opened(6.99);
  expect(await stateOf(refund)).toMatch(/^parked: /);
  await opened(7.01);
  expect(await stateOf(refund)).toMatch(/^open: its sale .* is not stored; it waited for 7 days$/);
  expect(await readyLetters(database.writer, "purchases", "purchases", 10)).toEqual([]);
  // Its till sends it again.
  await store(refund);
  expect(await stateOf(refund)).toMatch(/^parked: /);
});

test("of voids with many lines, one batch stores some and parks the rest", async () => {
  const series = { windows: ["all", "day"], by: ["grossSales", "netSales"] } as const;
  const { database, store } = open(series);
  // Two of these limits together would have moves that are too large for a statement.
  const lines = Array.from({ length: 500 }, (_, n) => [9_000_000_000_000_000 + n, 1_000_000, 999_999_999, 1]);
  const date = utcDayOf(Date.now());
  const sales = Array.from({ length: 70 }, () => sale(9, { date, lines }));
  for (let at = 0; at < sales.length; at += 10) await store(...sales.slice(at, at + 10));
  const voids = sales.map(voidOf);
  const { changes, refused } = await store(...voids);
  expect([changes, refused.filter(({ waitsFor }) => waitsFor !== undefined).length]).toEqual([30, 40]);
  expect([(await store(...voids)).changes, (await store(...voids)).changes]).toEqual([30, 10]);
  expect(await soldOf(database, sales)).toBe(0);
});
