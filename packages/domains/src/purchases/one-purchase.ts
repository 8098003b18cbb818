import { bytesOfEventId, fieldsOfEvent, NotFound, queryRoute } from "@tally/contract";
import { Type, type Static } from "typebox";
import { None } from "../values.ts";
import { CorrectedSale, type Counted } from "./correct.ts";
import { parseSaleId, SaleParams } from "./correction-routes.ts";
import type { Correction } from "./event.ts";
import { exampleOfShown, ShownPurchase } from "./list-purchases.ts";
import { moneyText } from "./money.ts";
import { fields } from "./routes.ts";
import { eventOfCorrection, purchaseTable, readCorrections } from "./store.ts";

export const ShownCorrection = Type.Object({
  eventID: Type.String(),
  kind: Type.Enum(["void", "refund"]),
  storeID: Type.Integer(),
  date: Type.String(),
  items: Type.Array(
    Type.Object({ ItemID: Type.Integer(), numberOfItems: Type.Integer(), amount: Type.Optional(Type.String()) }),
  ),
});

export function shownCorrection(one: Counted & Pick<Correction, "id" | "kind">): Static<typeof ShownCorrection> {
  return {
    eventID: one.id,
    kind: one.kind,
    storeID: one.storeId,
    date: String(one.date),
    items: one.items.map(([ItemID, quantity, amount]) => ({
      ItemID,
      numberOfItems: -quantity,
      ...(amount !== undefined && { amount: moneyText(-amount) }),
    })),
  };
}

/** GET /purchases/{eventID}: a purchase and what was taken back of it. */
export const onePurchase = queryRoute({
  path: "/purchases/:eventID",
  summary: "a purchase, its voids and refunds, and what can still be refunded",
  description: "404 for one that is not stored, or whose month was removed",
  params: SaleParams,
  query: None,
  mayMiss: true,
  response: Type.Object({
    ...ShownPurchase.properties,
    corrections: Type.Array(ShownCorrection),
    refundable: Type.Array(
      Type.Object({ line: Type.Integer(), ItemID: Type.Integer(), numberOfItems: Type.Integer() }),
    ),
  }),
  async respond({ params: { eventID } }, { rows }) {
    const id = parseSaleId(eventID);
    const [event] = await purchaseTable.read(rows, [id]);
    if (event === undefined) throw new NotFound("eventID", "the event id of a stored purchase", eventID);
    const sale = new CorrectedSale(event);
    const corrections = [...(await readCorrections(rows, [bytesOfEventId(id)])).values()];
    for (const one of corrections) sale.restore(eventOfCorrection(one), one.items);
    return {
      eventID: id,
      ...fieldsOfEvent(fields, event),
      corrections: corrections.map(shownCorrection),
      refundable: event.lines.map(([ItemID], line) => ({ line, ItemID, numberOfItems: sale.refundable[line] ?? 0 })),
    };
  },
  examples: {
    "a purchase without corrections": {
      params: { eventID: exampleOfShown.eventID },
      response: {
        ...exampleOfShown,
        corrections: [],
        refundable: [{ line: 0, ItemID: 85571, numberOfItems: 2 }],
      },
    },
  },
});
