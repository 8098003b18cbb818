import { foldBatches, listBatches, listLetters, placeAt } from "@tally/database";
import { readTotals } from "@tally/database/own-database";
import { decodeRankingMessage, fieldIn, Moves, textOfBatchId, type SqlTransaction } from "@tally/contract";
import { encodeMoves } from "@tally/redis";
import { expect, test, vi } from "vitest";
import { bodyOf, hexOf, newBatchId, purchases, purchasesDatabase } from "./purchases.test-kit.ts";
import { rowsOf, sale, storeIn } from "./purchases.test-kit.ts";
import { ForeignBatch, LateCopies } from "./store-batches.ts";

const own = purchasesDatabase();
const partitioned = purchasesDatabase();

function open(connect = own.connect) {
  const database = connect();
  const store = (...bodies: readonly Buffer[]) => database.transaction((transaction) => storeIn(transaction, bodies));
  return { database, store };
}

test("a new batch becomes rows, a ledger entry and a ranking message of its moves", async () => {
  const { database, store } = open();
  const [one, two] = [sale(1), sale(1)];
  const batch = newBatchId();
  const before = await readTotals(database.writer, "purchases");
  const { rankingMessages, changes } = await store(bodyOf([two, one], batch));
  const moves = new Moves();
  const sales = { prefix: "item:", mirrorPrefix: "store:" };
  for (let n = 0; n < 2; n++) moves.addMirrored(sales, "5", "1", 2);
  const message = decodeRankingMessage(rankingMessages.get(textOfBatchId(batch)) ?? Buffer.alloc(0));
  const after = await readTotals(database.writer, "purchases");
  expect(message).toEqual({ batch, storedAt: after.newest, series: "day", ...encodeMoves(moves, 2) });
  expect(await rowsOf(database.writer, 1)).toEqual([one, two].map(hexOf));
  expect([changes, after.batches - before.batches, after.changes - before.changes]).toEqual([2, 1, 2]);
});

test("a late copy of a folded batch changes nothing, and another batch with its id is rejected", async () => {
  const { database, store } = open();
  const [batch, stored] = [newBatchId(), sale(9)];
  const body = bodyOf([stored], batch);
  await store(body);
  const all = await listBatches(database.writer, "purchases", placeAt(0), Number.MAX_SAFE_INTEGER, 1000);
  const batches = all.filter(({ producer }) => producer === batch.producer);
  const toFold = { domain: "purchases", batches, counts: () => [] };
  await database.transaction((transaction) => foldBatches(transaction, toFold));
  const totals = await readTotals(database.writer, "purchases");
  const late = await store(body).catch((error: unknown) => error);
  const keys = late instanceof LateCopies ? late.keys : expect.fail("the copy is not found");
  expect(keys).toEqual(new Set([textOfBatchId(batch)]));
  const storeFolded = (copy: Buffer) => database.transaction((one) => storeIn(one, [copy], { folded: new Set(keys) }));
  const again = await storeFolded(body);
  expect([again.changes, [...again.rankingMessages]]).toEqual([0, [[textOfBatchId(batch), undefined]]]);
  await expect(storeFolded(bodyOf([sale(9)], batch))).rejects.toBeInstanceOf(ForeignBatch);
  expect(await readTotals(database.writer, "purchases")).toEqual(totals);
  expect(await rowsOf(database.writer, 9)).toEqual([hexOf(stored)]);
});

test("of two writers that store copies of a batch at once one fails, and its retry returns the other's ranking message", async () => {
  const { database, store } = open();
  const body = bodyOf([sale(4)]);
  let copy: Promise<unknown> | undefined;
  const first = await database.transaction(async (transaction) => {
    const stored = await storeIn(transaction, [body]);
    // The first commits when the copy has read the ledger and writes its rows.
    await new Promise<void>((resolve) => {
      const write: typeof purchases.store.write = (other, events, refuse) => {
        resolve();
        return purchases.store.write(other, events, refuse);
      };
      const domain = { ...purchases, store: { ...purchases.store, write } };
      copy = Promise.allSettled([database.transaction((other) => storeIn(other, [body], { domain }))]);
    });
    return stored;
  });
  expect(await copy).toMatchObject([{ status: "rejected", reason: { code: "STORED_MEANWHILE" } }]);
  expect((await store(body)).rankingMessages).toEqual(first.rankingMessages);
  expect(await rowsOf(database.writer, 4)).toHaveLength(1);
});

test.each([
  ["short", 1],
  ["long", 400],
])("of two %s contents of one key that two writers reject at once each is a dead letter", async (_, lines) => {
  const { database, store } = open();
  const [{ id }, { id: saleId }] = [sale(70), sale(70)];
  const bodyWith = (quantity: number) => {
    const returned = Array.from({ length: lines }, (_line, at) => [at, 2 ** 50, quantity]);
    const refund = { id, kind: "refund", saleId, storeId: 70, date: 20261125, lines: returned };
    return bodyOf([refund]);
  };
  let later: Promise<unknown> | undefined;
  await database.transaction(async (transaction) => {
    await storeIn(transaction, [bodyWith(1)]);
    // The first commits when the other one has found no letter and writes its own.
    await new Promise<void>((resolve) => {
      const storeLater = (other: SqlTransaction) => {
        const execute: typeof other.execute = (sql, values) => {
          if (sql.includes("INTO dead_letters")) resolve();
          return other.execute(sql, values);
        };
        return storeIn({ ...other, execute }, [bodyWith(2)]);
      };
      later = Promise.allSettled([database.transaction(storeLater)]);
    });
  });
  const [outcome] = [await later].flat();
  if (fieldIn(outcome, "status") === "rejected") await store(bodyWith(2));
  const letters = await listLetters(database.writer, {}, 100);
  const bodies = letters.map(({ body }) => body.toString()).filter((body) => body.includes(saleId));
  expect(new Set(bodies.map((body) => body.match(/,(\d)\]/)?.[1]))).toEqual(new Set(["1", "2"]));
  expect(outcome).toMatchObject({ reason: { code: "STORED_MEANWHILE" } });
});

test.each([
  ["in one transaction", true],
  ["in a later one", false],
])(
  "an event that arrives again, %s, is a duplicate with equal content, and else a dead letter",
  async (_, together) => {
    const { database, store } = open();
    const storeId = together ? 5 : 6;
    const event = sale(storeId);
    const conflict = { ...event, lines: [[5, 3]] };
    const bodies = [bodyOf([event]), bodyOf([event, conflict])];
    const before = await readTotals(database.writer, "purchases");
    if (!together) await store(...bodies.splice(0, 1));
    const { conflicts } = await store(...bodies);
    const after = await readTotals(database.writer, "purchases");
    expect(conflicts).toMatchObject([{ stage: "conflict", messageId: event.id }]);
    expect(await listLetters(database.writer, { reason: "different content" }, 10)).toContainEqual(
      expect.objectContaining({ id: conflicts[0]?.id, state: "open" }),
    );
    expect([after.changes - before.changes, after.refused - before.refused]).toEqual([1, 1]);
    expect(await rowsOf(database.writer, storeId)).toEqual([hexOf(event)]);
  },
);

test("an event of a removed month becomes a dead letter with the reason; events from the first retained day on are stored", async () => {
  const { database, store } = open();
  const storeId = 7;
  const old = (date: number) => sale(storeId, { date });
  const before = await store(bodyOf([old(20200101)]));
  expect([before.changes, before.late]).toEqual([1, 0]);
  await database.transaction((transaction) =>
    transaction.execute("INSERT INTO retention (domain, retained_from) VALUES ('purchases', '2020-03-01')"),
  );
  const [late, alsoLate, first, recent] = [old(20200229), old(20200101), old(20200301), sale(storeId)];
  const totals = await readTotals(database.writer, "purchases");
  const bodies = [bodyOf([late, first]), bodyOf([alsoLate, recent])];
  // Whatever the clock of the writer says.
  const clock = vi.spyOn(Date, "now").mockReturnValue(Date.UTC(2000, 0));
  const stored = await store(...bodies).finally(() => clock.mockRestore());
  expect([stored.changes, stored.late]).toEqual([2, 2]);
  const kept = await rowsOf(database.writer, storeId);
  expect(kept).toHaveLength(3);
  expect(kept).toEqual(expect.arrayContaining([first, recent].map(hexOf)));
  const letters = await listLetters(database.writer, { reason: "late: " }, 10);
  expect(new Set(letters.map(({ id }) => id))).toEqual(new Set([late.id, alsoLate.id]));
  expect(letters.find(({ id }) => id === late.id)).toMatchObject({
    stage: "rejected",
    state: "open",
    reason:
      "late: its date 20200229 is before 20200301; earlier purchases are exported and removed, so it may be a retry of one of them",
  });
  const after = await readTotals(database.writer, "purchases");
  expect([after.events - totals.events, after.changes - totals.changes, after.refused - totals.refused]).toEqual([
    4, 2, 2,
  ]);
  // A late copy of a folded batch: its events were stored.
  const batch = newBatchId();
  const folded = new Set([textOfBatchId(batch)]);
  const storeCopy = (body: Buffer) => database.transaction((transaction) => storeIn(transaction, [body], { folded }));
  const copy = await storeCopy(bodyOf([old(20200101)], batch));
  expect([copy.changes, copy.late, [...copy.rankingMessages.keys()]]).toEqual([0, 0, [...folded]]);
  expect(await listLetters(database.writer, { reason: "late: " }, 10)).toEqual(letters);
});

test("in a table with partitions, a retry of any sale of one id is that sale", async () => {
  const { database, store } = open(partitioned.connect);
  await database.transaction((transaction) =>
    transaction.execute("ALTER TABLE purchases DROP PRIMARY KEY, ADD PRIMARY KEY (id, purchased_on)"),
  );
  const one = sale(1);
  const otherDate = { ...one, date: 20261121 };
  for (const event of [one, otherDate]) expect((await store(bodyOf([event]))).changes).toBe(1);
  for (const event of [one, otherDate]) {
    const { changes, conflicts } = await store(bodyOf([event]));
    expect([changes, conflicts]).toEqual([0, []]);
  }
  const other = sale(1, { id: one.id, lines: [[5, 3]] });
  expect((await store(bodyOf([other]))).conflicts).toHaveLength(1);
});
