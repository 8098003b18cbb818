import { Compile } from "typebox/compile";
import { expect, test } from "vitest";
import { CorrectedSale } from "./correct.ts";
import { manyRefunds } from "./correction-routes.ts";
import { SalesEvent, type Correction, type PurchaseEvent, type RefundEvent } from "./event.ts";

const saleId = "01890000-0000-7000-8000-000000000001";
// Item 5 twice: a line is more than its item.
const sold: readonly [item: number, quantity: number][] = [[5, 3], [8, 1], [5, 2]]; // oxfmt-ignore
const sale: PurchaseEvent = { id: saleId, storeId: 1, customerId: 2, date: 20261120, lines: [...sold] };
const toVoid: Correction = { kind: "void", id: "01890000-0000-8000-8000-00000000000a", saleId };
const refundOf = (...lines: RefundEvent["lines"]): Correction => ({
  kind: "refund",
  id: "01890000-0000-8000-8000-00000000000b",
  saleId,
  storeId: 7,
  date: 20261125,
  lines,
});

test("a void takes back all items in the store and on the day of its sale, once", () => {
  const corrected = new CorrectedSale(sale);
  const lines = sold.map(([item, quantity]) => [item, -quantity]);
  expect(corrected.apply(toVoid)).toEqual({ storeId: 1, date: 20261120, lines });
  expect(corrected.refundable).toEqual([0, 0, 0]);
  expect(corrected.apply(toVoid)).toEqual({ reason: `the sale ${saleId} is void` });
  expect(corrected.apply(refundOf([1, 8, 1]))).toEqual({ reason: `the sale ${saleId} is void` });
});

test("a refund takes back some items in its own store and on its own day", () => {
  const corrected = new CorrectedSale(sale);
  const counted = (...lines: readonly (readonly number[])[]) => ({ storeId: 7, date: 20261125, lines });
  expect(corrected.apply(refundOf([0, 5, 2], [1, 8, 1]))).toEqual(counted([5, -2], [8, -1]));
  expect(corrected.apply(refundOf([0, 5, 1]))).toEqual(counted([5, -1]));
  expect(corrected.refundable).toEqual([0, 0, 2]);
  expect(corrected.apply(toVoid)).toEqual({ reason: `the sale ${saleId} has refunds: refund the rest of it` });
});

test.each([
  ["more than was sold", [[1, 8, 2]], "line 1: 1 were sold and 0 taken back, so not 2 more"],
  [
    "more than was sold, in two lines",
    [
      [0, 5, 2],
      [0, 5, 2],
    ],
    "line 0: 3 were sold and 2 taken back, so not 2 more",
  ],
  ["another item", [[0, 8, 1]], "line 0: the sale has item 5 there, not 8"],
  ["a line that is not there", [[3, 5, 1]], "line 3: the sale has 3 lines, from 0"],
] as const)("a refund of %s is refused, and changes nothing", (_what, lines, reason) => {
  const corrected = new CorrectedSale(sale);
  const refund = refundOf(
    [2, 5, 2],
    ...lines.map(([line, item, quantity]): [number, number, number] => [line, item, quantity]),
  );
  expect(corrected.apply(refund)).toEqual({ reason });
  expect(corrected.refundable).toEqual([3, 1, 2]);
});

const priced = (quantity: number, price: number, discount: number): CorrectedSale =>
  new CorrectedSale({ ...sale, lines: [[5, quantity, price, discount]] });
const amountsOf = (
  corrected: CorrectedSale,
  ...quantities: readonly (readonly [quantity: number, amount?: number])[]
) =>
  quantities.map(([quantity, amount]) => {
    const line: [number, number, number] = [0, 5, quantity];
    const outcome = corrected.apply(refundOf(amount === undefined ? line : [...line, amount]));
    return "reason" in outcome ? outcome.reason : outcome.lines[0]?.[2];
  });

test("refunds get their share of what was paid, together all of it", () => {
  // 3 units for 10.00 less 0.01.
  expect(amountsOf(priced(3, 33_366, 198), [1], [1], [1])).toEqual([-33_300, -33_300, -33_300]);
  expect(amountsOf(priced(3, 33_333, 0), [2], [1])).toEqual([-66_666, -33_333]);
  expect(amountsOf(priced(3, 1, 1), [1], [1], [1])).toEqual([-0, -1, -1]);
  expect(priced(3, 33_333, 1).apply(toVoid)).toMatchObject({ lines: [[5, -3, -99_998, -99_999]] });
  for (const [quantity, price, discount] of [
    [7, 12_345, 6789],
    [1_000_000, 9_007_199_254, 3],
  ] as const) {
    const one = amountsOf(priced(quantity, price, discount), [1], [quantity - 1]);
    expect(one.reduce((sum: number, amount) => sum + Number(amount), 0)).toBe(-(quantity * price - discount));
  }
});

test("a refund may name its amount, up to what is left", () => {
  expect(amountsOf(priced(2, 10_000, 0), [1, 15_000], [1])).toEqual([-15_000, -5000]);
  expect(amountsOf(priced(2, 10_000, 0), [1, 4000], [1])).toEqual([-4000, -10_000]);
  expect(amountsOf(priced(2, 10_000, 0), [1, 20_001])).toEqual(["line 0: 2.0000 are left, not 2.0001"]);
  const corrected = priced(2, 10_000, 0);
  expect([...amountsOf(corrected, [1, 4000]), ...corrected.refundable]).toEqual([-4000, 1]);
  expect([...amountsOf(corrected, [1, 1]), ...corrected.refundable]).toEqual([-1, 0]);
  const unpriced = new CorrectedSale({ ...sale, lines: [[5, 2]] });
  const reason = "line 0: it was sold without a price, so it has no amount";
  expect([...amountsOf(unpriced, [1, 0], [1]), ...unpriced.refundable]).toEqual([reason, undefined, 1]);
});

// An event that the schema rejects would make a dead letter of its whole batch.
test("a refund above the largest amount is rejected, and the largest fits the schema", () => {
  const refundFor = (amount: string) =>
    manyRefunds.toEvent(saleId, {
      eventID: saleId,
      storeID: 7,
      date: "20261125",
      idempotencyKey: "k",
      items: [{ line: 0, ItemID: 5, numberOfItems: 1, amount }],
    });
  expect(() => refundFor("100000000.0001")).toThrow("items[0].amount: expected at most 100000000.0000");
  expect(Compile(SalesEvent).Check(refundFor("100000000"))).toBe(true);
});
