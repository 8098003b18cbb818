import { randomInt } from "node:crypto";
import { type BatchEvent, eventIdOfKey, Moves, newEventId, onlyAllTime, type Sources } from "@tally/contract";
import { withRecount } from "@tally/database";
import { expect, test } from "vitest";
import { purchases, purchasesDatabase, sumsIn } from "../retention/old-purchases.test-kit.ts";

const database = purchasesDatabase().connect();
const day = 20261120;
const busyStore = 2 ** 40 + 1;
const items = [0, 1, 2, 2 ** 31, 2 ** 32, 2 ** 32 + 1, 2 ** 53 - 1];

/** Any purchase of a few stores and items: some with an id that is not in the order of time. */
function purchase(n: number) {
  const lines = Array.from({ length: 1 + randomInt(3) }, () => [items[randomInt(items.length)] ?? 0, 1 + randomInt(9)]);
  const id = n % 3 === 0 ? eventIdOfKey("recount", String(n)) : newEventId();
  const storeId = n % 2 === 0 ? busyStore : randomInt(3);
  return { id, storeId, customerId: n, date: day, lines };
}

// More than one range of an audit, and several portions of a store's day.
const batches = 45;
const eventsOfBatch = 500;

test("what audit and rebuild read of any purchases equals what rank() adds, and so does the day of a store", async () => {
  const moves = new Moves();
  const expected = new Map<string, number>();
  const add = (cell: string, by: number) => expected.set(cell, (expected.get(cell) ?? 0) + by);
  for (let sequence = 0; sequence < batches; sequence++) {
    const batch = { producer: `000000000000000${sequence % 3}`, sequence };
    const events: BatchEvent[] = Array.from({ length: eventsOfBatch }, (_, n) => ({
      event: purchase(sequence * eventsOfBatch + n),
      batch,
    }));
    const changes = await database.transaction((transaction) =>
      purchases.store.write(transaction, events, () => expect.fail()),
    );
    purchases.rank(changes, moves, onlyAllTime);
    add(`batch ${batch.producer} ${sequence}`, changes.length);
  }
  for (const [, members] of moves.mirrored()) {
    for (const [member, moved] of members) {
      for (let at = 0; at < moved.length; at += 2) {
        add(`store ${member} ${moved[at]}`, Number(moved[at + 1]));
        add(`item ${moved[at]} ${member}`, Number(moved[at + 1]));
      }
    }
  }
  const sums = await withRecount(database, "write", purchases, sumsIn);
  expect(sums).toEqual(Array.from(expected, ([cell, count]) => `${cell} ${count}`).toSorted());

  const query = purchases.queries.find(({ path }) => path === "/stores/:storeID/top-items");
  if (query?.kind !== "query") throw new Error("purchases have no route of a store's items");
  // No batch of these rows is in the ledger, so they are counted as those of a day that no folded series has.
  await database.transaction((transaction) =>
    transaction.execute("UPDATE ledger_folds SET series_from = ? WHERE domain = ?", [day + 1, purchases.name]),
  );
  const sources: Sources = {
    rows: database.writer,
    boards: { top: () => expect.fail(), count: () => expect.fail(), whole: () => expect.fail() },
    read: async (what, key) => what.ofRows(await database.writer.query(what.select, what.values?.(key)), key),
    readNewest: () => expect.fail(),
    readKept: () => undefined,
    stream: () => expect.fail(),
    find: () => expect.fail(),
  };
  const request = { params: { storeID: String(busyStore) }, query: { date: String(day), limit: "4" } };
  const best = items
    .map((itemID) => ({ itemID, quantity: expected.get(`store ${busyStore} ${itemID}`) ?? 0 }))
    .toSorted((a, b) => b.quantity - a.quantity || a.itemID - b.itemID);
  expect(await query.respond(request, sources)).toMatchObject({ storeID: busyStore, items: best.slice(0, 4) });
});
