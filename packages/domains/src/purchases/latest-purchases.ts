import { queryRoute } from "@tally/pipeline";
import { Type } from "typebox";
import { ids, wholeNumbers } from "../request-values.ts";
import { StoredPurchase, withItems, type PurchaseRow } from "./purchase-rows.ts";

// The id of a purchase with an Idempotency-Key has no time, so the ledger tells when each one was stored. No index leads from a store to its newest
// batches, and one would cost every purchase. So this reads the purchases of the store with the newest dates (index store_day, backwards),
// and looks up their batches: about 5 µs for each.
const selectLatest = `
  SELECT newest.id, newest.storeID, newest.custID, newest.date, batches.stored_at AS storedAt
  FROM (
    SELECT id, store_id AS storeID, customer_id AS custID, DATE_FORMAT(purchased_on, '%Y%m%d') AS date, producer, sequence
    FROM purchases WHERE store_id = ? ORDER BY purchased_on DESC, id DESC LIMIT 5000
  ) AS newest
  JOIN batches ON batches.producer = newest.producer AND batches.sequence = newest.sequence
  ORDER BY storedAt DESC, newest.id DESC
  LIMIT ?`;

const limits = wholeNumbers(1, 100);
const limitDefault = "20";

/** The purchases of a store that arrived last, of the 5,000 with the newest dates. `arrivedAt`: when the writer stored it. */
export const latestPurchases = queryRoute({
  path: "/purchases/latest",
  params: Type.Object({}),
  query: Type.Object({ storeID: ids.Text, limit: Type.Optional(limits.Text) }, { additionalProperties: false }),
  response: Type.Object({
    purchases: Type.Array(Type.Object({ ...StoredPurchase.properties, arrivedAt: Type.String() })),
  }),
  storeOf: ({ query }) => ids.parse("storeID", query.storeID),
  async respond({ query: { storeID, limit = limitDefault } }, { rows }) {
    const values = [ids.parse("storeID", storeID), limits.parse("limit", limit)];
    const found = await rows.query<PurchaseRow & { storedAt: number }>(selectLatest, values);
    const purchases = await withItems(rows, found);
    return {
      purchases: purchases.map((purchase, index) =>
        Object.assign(purchase, { arrivedAt: new Date(found[index]?.storedAt ?? 0).toISOString() }),
      ),
    };
  },
});
