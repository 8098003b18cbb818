import { Check } from "typebox/value";
import { expect, test } from "vitest";
import { liftIdMax } from "./liftrides/event.ts";
import { itemsMax, PurchaseEvent } from "./purchases/event.ts";
import { StepsEvent, stepsMax } from "./steps/event.ts";

const id = "01a1fb30-2980-71ee-89cd-4f71757df440";
// Up to which Redis counts exactly. Counts of purchases stop there: see fold.servers.test.ts of packages/reconcile.
const exactMax = 2 ** 53;

test("how many of the largest events bring a count to 2^53", () => {
  const steps = { id, userId: 1, day: 1, hour: 1, steps: stepsMax };
  expect([steps, { ...steps, steps: stepsMax + 1 }].map((event) => Check(StepsEvent, event))).toEqual([true, false]);
  expect(exactMax / stepsMax).toBeGreaterThan(90e9);

  const sale = (count: number, quantity: number) => {
    const lines = Array.from({ length: count }, () => [10, quantity]);
    return { id, storeId: 1, customerId: 1, date: 20261120, lines };
  };
  const sales = [sale(itemsMax, 1e6), sale(itemsMax + 1, 1e6), sale(itemsMax, 1e6 + 1)];
  expect(sales.map((event) => Check(PurchaseEvent, event))).toEqual([true, false, false]);
  expect(exactMax / (itemsMax * 1e6)).toBeGreaterThan(18e6);

  // A ride is stored once for its skier, day, minute and lift, and adds ten times its lift.
  const [minutes, lifts] = [1441, (liftIdMax * (liftIdMax + 1)) / 2];
  expect(minutes * 10 * lifts).toBeLessThan(exactMax);
});
