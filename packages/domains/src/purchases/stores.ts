import { InvalidInput, NotFound, putRoute, queryRoute, type Event, type EventFiles } from "@tally/contract";
import { Type, type Static } from "typebox";
import { closed, ids, None, numberFilter, wholeNumbers } from "../values.ts";
import { registeredClock } from "./registry.ts";

const closingHours = wholeNumbers(0, 6);
const expectedZone = "the IANA name of a time zone, such as America/New_York";

const Zone = Type.String({ pattern: "^[A-Za-z][A-Za-z0-9_+/-]{0,63}$", expected: expectedZone });
const Body = closed(
  { zone: Zone, closingHour: Type.Optional(closingHours.Value) },
  { expected: 'an object {"zone": "America/New_York", "closingHour": 2}' },
);

const Params = Type.Object({ storeID: ids.Text });
const Store = Type.Object({ storeID: Type.Integer(), zone: Type.String(), closingHour: Type.Integer() });

const exampleBody = { zone: "Europe/Berlin", closingHour: 2 };
export const exampleStore = { storeID: 7, ...exampleBody };
const params = { storeID: "7" };

const upsert = `
  INSERT INTO stores (store_id, zone, closing_hour) VALUES ?
  ON DUPLICATE KEY UPDATE zone = VALUES(zone), closing_hour = VALUES(closing_hour)`;

export const putStore = putRoute({
  path: "/stores/:storeID",
  summary: "registers a store: its time zone, and until which hour after midnight its business day goes on",
  description:
    "`closingHour` is 0 to 6, by default 0. `today`, `yesterday` and the hours of sales follow it, also of earlier days; the date of a sale stays what its till said. Needs the scope `operate`, and `OPERATOR_DATABASE_URL`. All gateways know it at once",
  params: Params,
  body: Body,
  response: Store,
  storeOf: ({ storeID }) => ids.parse("storeID", storeID),
  async put(store, body, transaction) {
    const storeID = ids.parse("storeID", store.storeID);
    const closingHour = closingHours.parse("closingHour", body.closingHour ?? 0);
    const zone = parseZone(body.zone);
    await transaction.upsert(upsert, [[storeID, zone, closingHour]]);
    return { storeID, zone, closingHour };
  },
  examples: {
    "open until 2 o'clock": { params, body: exampleBody, response: exampleStore },
  },
});

/** "america/new_york" → "America/New_York". Throws InvalidInput for a zone that this process does not know. */
function parseZone(text: string): string {
  try {
    const { timeZoneId } = Temporal.Now.zonedDateTimeISO(text);
    // The zone of a time such as "T12+0530" is an offset.
    if (/^[A-Z]/i.test(timeZoneId)) return timeZoneId;
  } catch {
    // Not a zone.
  }
  throw new InvalidInput("zone", expectedZone, text);
}

export const oneStore = queryRoute({
  path: "/stores/:storeID",
  summary: "a registered store",
  description: "404 for a store that is not registered: it is in UTC",
  params: Params,
  storeOf: ({ params: store }) => ids.parse("storeID", store.storeID),
  query: None,
  mayMiss: true,
  response: Store,
  async respond({ params: store }, sources) {
    const storeID = ids.parse("storeID", store.storeID);
    const clock = await registeredClock(sources, storeID);
    if (clock === undefined) throw new NotFound("storeID", "a registered store", store.storeID);
    return { storeID, ...clock };
  },
  examples: { "a store": { params, response: exampleStore } },
});

const pageLimits = wholeNumbers(1, 1000);

export const listStores = queryRoute({
  path: "/stores",
  summary: "the registered stores by their ids, 100 by default",
  description: "Send the last `storeID` as `after` to get the next ones",
  params: Type.Object({}),
  query: closed({ limit: Type.Optional(pageLimits.Text), after: Type.Optional(ids.Text) }),
  response: Type.Object({ stores: Type.Array(Store) }),
  async respond({ query: { limit = "100", after } }, { rows }) {
    const from = after === undefined ? 0 : ids.parse("after", after) + 1;
    const stores = await rows.query<Static<typeof Store>>(selectPage, [from, pageLimits.parse("limit", limit)]);
    return { stores: [...stores] };
  },
  examples: { "all stores": { response: { stores: [exampleStore] } } },
});

const selectPage =
  "SELECT store_id AS storeID, zone, closing_hour AS closingHour FROM stores WHERE store_id >= ? ORDER BY store_id LIMIT ?";

export const registryFiles: EventFiles<Event & { readonly columns: readonly unknown[] }> = {
  rows: {
    table: "stores",
    columns: ["store_id", "zone", "closing_hour"],
    selectFrom: (table) => `SELECT store_id, zone, closing_hour FROM ${table}`,
    eventOf: (columns) => ({ id: "", columns }),
  },
  fields: {
    storeID: ({ columns }) => columns[0],
    zone: ({ columns }) => columns[1],
    closingHour: ({ columns }) => columns[2],
  },
  order: "store_id",
  filters: { store: numberFilter("store_id = ?", "--store", ids) },
  requiredColumns: ["closingHour"],
  isConfiguration: true,
};
