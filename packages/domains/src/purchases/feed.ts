import type { FeedEvent, SqlReader } from "@tally/contract";
import { alertType, ShownAlert } from "./alerts.ts";
import type { PurchaseEvent } from "./event.ts";
import { ShownPurchase, shownPurchase } from "./list-purchases.ts";
import { CorrectionOfSale, correctionOfSale } from "./shown-correction.ts";
import { correctionTable, purchaseTable, type CountedCorrection, type SalesChange } from "./store.ts";

/** Another `data` that a subscriber must notice gets another version. */
const typeOf = (kind: "sale" | "void" | "refund") => `tally.purchases.${kind}.v1`;

const eventOf = (kind: "sale" | "void" | "refund", { id, storeId }: Stored, data: object): FeedEvent => ({
  id,
  type: typeOf(kind),
  subject: String(storeId),
  data,
});
type Stored = Pick<PurchaseEvent, "id" | "storeId">;
const ofSale = (sale: PurchaseEvent) => eventOf("sale", sale, shownPurchase(sale));
const ofCorrection = (one: CountedCorrection) => eventOf(one.kind, one, correctionOfSale(one));

/** Sales as `GET /purchases` shows them, voids and refunds as `GET /purchases/{eventID}`, with the id of their sale. */
export const feed = {
  eventOf: (change: SalesChange): FeedEvent =>
    "counted" in change ? ofCorrection(change.counted) : ofSale(change.event),

  async read(reader: SqlReader, eventIds: readonly string[]): Promise<readonly FeedEvent[]> {
    const corrections = (await correctionTable.read(reader, eventIds)).map(ofCorrection);
    return [...(await purchaseTable.read(reader, eventIds)).map(ofSale), ...corrections];
  },

  schemas: {
    [typeOf("sale")]: ShownPurchase,
    [typeOf("void")]: CorrectionOfSale,
    [typeOf("refund")]: CorrectionOfSale,
    [alertType]: ShownAlert,
  },
};
