import { queryRoute } from "@tally/contract";
import { Type } from "typebox";
import { ids, wholeNumbers } from "../request-values.ts";
import { exampleOfShown, ShownPurchase, shownPurchase, upToItemsMax, type CountedRow } from "./shown-purchase.ts";
import { store } from "./store.ts";

const searchedMax = 5000;

// The id of a purchase with an Idempotency-Key has no time, so the time is that of its batch in the ledger. No index
// leads from a store to its newest batches, and one would cost every purchase. So this reads the purchases of the store
// with the newest dates (index store_day, backwards), and looks up their batches: about 5 µs for each. The items come
// as text, so that those beyond the limit are not parsed. The date beside the id names the partition of a partitioned
// table.
const selectLatest = `
  SELECT ${store.selectList({ lines: "CAST(items AS CHAR)" })}, JSON_LENGTH(items) AS itemCount,
    latest.storedAt, latest.searched
  FROM (
    SELECT newest.newest_id, newest.newest_on, batches.stored_at AS storedAt, COUNT(*) OVER () AS searched
    FROM (
      SELECT id AS newest_id, purchased_on AS newest_on, producer, sequence FROM purchases
      WHERE store_id = ? ORDER BY purchased_on DESC, id DESC LIMIT ${searchedMax}
    ) AS newest
    JOIN batches ON batches.producer = newest.producer AND batches.sequence = newest.sequence
    ORDER BY storedAt DESC, newest_id DESC LIMIT ?
  ) AS latest
  JOIN purchases ON id = newest_id AND purchased_on = newest_on
  ORDER BY latest.storedAt DESC, id DESC`;

interface Row extends CountedRow {
  readonly storedAt: number;
  /** The number of purchases among which these were found. */
  readonly searched: number;
}

const limits = wholeNumbers(1, 100);
const limitDefault = "20";

/**
 * The purchases of a store that arrived last, of the 5,000 with the newest dates. `arrivedAt`: when the writer stored
 * it. Within one date the ids of purchases with an Idempotency-Key have no order: any of a day with more sales may be
 * missing.
 */
export const latestPurchases = queryRoute({
  path: "/purchases/latest",
  summary: "the purchases of a store that were stored last, 20 by default",
  description:
    "Searches the 5,000 purchases with the newest dates. `isComplete` false: the store has more, and a purchase that arrived later may be missing. Ends at 10,000 lines",
  params: Type.Object({}),
  query: Type.Object({ storeID: ids.Text, limit: Type.Optional(limits.Text) }, { additionalProperties: false }),
  response: Type.Object({
    purchases: Type.Array(Type.Object({ ...ShownPurchase.properties, arrivedAt: Type.String() })),
    isComplete: Type.Boolean(),
  }),
  storeOf: ({ query }) => ids.parse("storeID", query.storeID),
  async respond({ query: { storeID, limit = limitDefault } }, { rows }) {
    const found = await rows.query<Row>(selectLatest, [ids.parse("storeID", storeID), limits.parse("limit", limit)]);
    const purchases = upToItemsMax(found).map(({ row, event }) =>
      Object.assign(shownPurchase(event), { arrivedAt: new Date(row.storedAt).toISOString() }),
    );
    return { purchases, isComplete: (found[0]?.searched ?? 0) < searchedMax };
  },
  examples: {
    "a store": {
      query: { storeID: "7", limit: "5" },
      response: {
        purchases: [{ ...exampleOfShown, arrivedAt: "2026-11-21T09:30:00.087Z" }],
        isComplete: true,
      },
    },
  },
});
