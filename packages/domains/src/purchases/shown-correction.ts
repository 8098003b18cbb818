import { Type, type Static } from "typebox";
import { moneyText } from "./money.ts";
import type { CountedCorrection } from "./store.ts";

const Line = { line: Type.Integer(), ItemID: Type.Integer(), numberOfItems: Type.Integer() };
export const LineTakenBack = Type.Object({ ...Line, amount: Type.Optional(Type.String()) });

const lineOf = (line: number, ItemID: number, numberOfItems: number, amount: number | undefined) =>
  Object.assign({ line, ItemID, numberOfItems }, amount === undefined ? {} : { amount: moneyText(amount) });

export const ShownCorrection = Type.Object({
  eventID: Type.String(),
  kind: Type.Enum(["void", "refund"]),
  storeID: Type.Integer(),
  date: Type.String(),
  items: Type.Array(LineTakenBack),
  reason: Type.Optional(Type.String()),
});

type Shown = Static<typeof ShownCorrection>;
export function shownCorrection({ id, kind, storeId, date, lines, takenBack, reason }: CountedCorrection): Shown {
  const items = lines.map(([ItemID, quantity, amount], at) =>
    lineOf(takenBack?.[at]?.[0] ?? at, ItemID, -quantity, amount && -amount),
  );
  return { eventID: id, kind, storeID: storeId, date: String(date), items, ...(reason !== undefined && { reason }) };
}

export const CorrectionOfSale = Type.Object({ ...ShownCorrection.properties, saleEventID: Type.String() });
export const correctionOfSale = (one: CountedCorrection): Static<typeof CorrectionOfSale> =>
  Object.assign(shownCorrection(one), { saleEventID: one.saleId });
