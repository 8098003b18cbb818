import { eventIdOfBytes, queryRoute } from "@tally/pipeline";
import { Type } from "typebox";
import { ids, wholeNumbers } from "../request-values.ts";
import { linesOf } from "./store.ts";

// The id of a purchase with an Idempotency-Key has no time, so the time is that of its batch in the ledger. No index leads from a store to its newest
// batches, and one would cost every purchase. So this reads the purchases of the store with the newest dates (index store_day, backwards),
// and looks up their batches: about 5 µs for each.
const selectLatest = `
  SELECT purchases.id, customer_id AS custID, DATE_FORMAT(purchased_on, '%Y%m%d') AS date, items, latest.storedAt
  FROM (
    SELECT newest.id, batches.stored_at AS storedAt
    FROM (
      SELECT id, producer, sequence FROM purchases WHERE store_id = ? ORDER BY purchased_on DESC, id DESC LIMIT 5000
    ) AS newest
    JOIN batches ON batches.producer = newest.producer AND batches.sequence = newest.sequence
    ORDER BY storedAt DESC, newest.id DESC LIMIT ?
  ) AS latest
  JOIN purchases ON purchases.id = latest.id
  ORDER BY latest.storedAt DESC, purchases.id DESC`;

interface Row {
  readonly id: Buffer;
  readonly custID: number;
  readonly date: string;
  /** MySQL returns JSON, MariaDB its text. */
  readonly items: unknown;
  readonly storedAt: number;
}

const limits = wholeNumbers(1, 100);
const limitDefault = "20";

/** The purchases of a store that arrived last, of the 5,000 with the newest dates. `arrivedAt`: when the writer stored it. */
export const latestPurchases = queryRoute({
  path: "/purchases/latest",
  summary: "the purchases of a store that were stored last, 20 by default",
  description: "Of the 5,000 with the newest dates",
  params: Type.Object({}),
  query: Type.Object({ storeID: ids.Text, limit: Type.Optional(limits.Text) }, { additionalProperties: false }),
  response: Type.Object({
    purchases: Type.Array(
      Type.Object({
        eventID: Type.String(),
        storeID: Type.Integer(),
        custID: Type.Integer(),
        date: Type.String(),
        items: Type.Array(Type.Object({ ItemID: Type.Integer(), numberOfItems: Type.Integer() })),
        arrivedAt: Type.String(),
      }),
    ),
  }),
  storeOf: ({ query }) => ids.parse("storeID", query.storeID),
  async respond({ query: { storeID: store, limit = limitDefault } }, { rows }) {
    const storeID = ids.parse("storeID", store);
    const found = await rows.query<Row>(selectLatest, [storeID, limits.parse("limit", limit)]);
    const purchases = found.map(({ id, custID, date, items, storedAt }) => ({
      eventID: eventIdOfBytes(id),
      storeID,
      custID,
      date,
      items: linesOf(items).map(([ItemID, numberOfItems]) => ({ ItemID, numberOfItems })),
      arrivedAt: new Date(storedAt).toISOString(),
    }));
    return { purchases };
  },
  examples: {
    "a store": {
      query: { storeID: "7", limit: "5" },
      response: {
        purchases: [
          {
            eventID: "55dd47d6-d9ef-8152-b012-19d6cdd9449d",
            storeID: 7,
            custID: 7001,
            date: "20261121",
            items: [{ ItemID: 85571, numberOfItems: 2 }],
            arrivedAt: "2026-11-21T09:30:00.087Z",
          },
        ],
      },
    },
  },
});
