import type { FeedEvent, SqlReader } from "@tally/contract";
import { Type } from "typebox";
import type { Counted } from "./correct.ts";
import type { Correction, PurchaseEvent } from "./event.ts";
import { ShownPurchase, shownPurchase } from "./list-purchases.ts";
import { ShownCorrection, shownCorrection } from "./one-purchase.ts";
import { correctionTable, purchaseTable, type SalesChange } from "./store.ts";

/** Another `data` that a subscriber must notice gets another version. */
const typeOf = (kind: "sale" | "void" | "refund") => `tally.purchases.${kind}.v1`;

const ofSale = (sale: PurchaseEvent): FeedEvent => ({
  id: sale.id,
  type: typeOf("sale"),
  subject: String(sale.storeId),
  data: shownPurchase(sale),
});

const ofCorrection = (one: Counted & Pick<Correction, "id" | "kind" | "saleId">): FeedEvent => ({
  id: one.id,
  type: typeOf(one.kind),
  subject: String(one.storeId),
  data: { ...shownCorrection(one), saleEventID: one.saleId },
});

const CorrectionOfSale = Type.Object({ ...ShownCorrection.properties, saleEventID: Type.String() });

/** Sales as `GET /purchases` shows them, voids and refunds as `GET /purchases/{eventID}`, with the id of their sale. */
export const feed = {
  eventOf: (change: SalesChange): FeedEvent =>
    "counted" in change ? ofCorrection({ ...change.event, ...change.counted }) : ofSale(change.event),

  async read(reader: SqlReader, eventIds: readonly string[]): Promise<readonly FeedEvent[]> {
    const corrections = (await correctionTable.read(reader, eventIds)).map(ofCorrection);
    return [...(await purchaseTable.read(reader, eventIds)).map(ofSale), ...corrections];
  },

  schemas: {
    [typeOf("sale")]: ShownPurchase,
    [typeOf("void")]: CorrectionOfSale,
    [typeOf("refund")]: CorrectionOfSale,
  },
};
