import { InvalidInput, type SqlTransaction } from "@tally/contract";
import { Type } from "typebox";
import { register } from "../register.ts";
import { closed, labels, wholeNumbers } from "../values.ts";
import { businessDayOf, zoneNamed, type StoreClock } from "./business-day.ts";
import { BusinessDate, parseCalendarDate } from "./calendar-date.ts";
import { Currency, currencyProblems } from "./currency.ts";

const closingHours = wholeNumbers(0, 6);
const expectedZone = "the IANA name of a time zone, such as America/New_York";
const Zone = Type.String({ pattern: "^[A-Za-z][A-Za-z0-9_+/-]{0,63}$", expected: expectedZone });
const [Name, Region] = [labels(100), labels(60)];

const exampleBody = { zone: "Europe/Berlin", closingHour: 2, name: "Berlin Mitte", region: "East", currency: "EUR" };
export const exampleStore = { storeID: 7, ...exampleBody, validFrom: "10000101" };

interface StoreRow extends StoreClock {
  readonly id: number;
  readonly columns: Readonly<Record<string, string | number | undefined>>;
  readonly region: string | undefined;
  readonly currency: string | undefined;
  readonly validFrom: number | undefined;
}

export const stores = register({
  one: "store",
  put: {
    summary:
      "registers a store: its time zone, until which hour after midnight its business day goes on, its name, its region and its currency",
    description:
      "`closingHour` is 0 to 6, by default 0. `today`, `yesterday` and the hours of sales follow it, also of earlier days; the date of a sale stays what its till said. `region` is valid for the business days from `validFrom` on, until the day of a later region. Without `validFrom` it is valid from the store's today on, and the first region of a store for all days. All stores have one `currency`, because rankings add up their money. A `name`, `region` or `currency` that is left out stays as it was. Needs the scope `operate`, and `OPERATOR_DATABASE_URL`. All gateways know the clock at once, and names within seconds",
  },
  body: closed(
    {
      zone: Zone,
      closingHour: Type.Optional(closingHours.Value),
      name: Type.Optional(Name),
      region: Type.Optional(Region),
      validFrom: Type.Optional(BusinessDate),
      currency: Type.Optional(Currency),
    },
    { expected: 'an object {"zone": "America/New_York", "closingHour": 2, "name": "Broadway"}' },
  ),
  rowOf(id, { zone: text, closingHour: hour = 0, name, region, validFrom: from, currency }): StoreRow {
    const closingHour = closingHours.parse("closingHour", hour);
    const zone = zoneNamed(text);
    if (zone === undefined) throw new InvalidInput("zone", expectedZone, text);
    if (from !== undefined && region === undefined)
      throw new InvalidInput("region", "a region beside validFrom", undefined);
    const validFrom = from === undefined ? undefined : parseCalendarDate("validFrom", String(from));
    const columns = { zone, closing_hour: closingHour, name, currency };
    return { id, columns, zone, closingHour, region, validFrom, currency };
  },
  problemsOf: currencyProblems,
  fields: {
    zone: "zone",
    closingHour: "closing_hour",
    name: "name",
    region: "region",
    validFrom: "CAST(valid_from AS CHAR)",
    currency: "currency",
  },
  shown: {
    zone: Type.String(),
    closingHour: Type.Integer(),
    name: Type.Optional(Type.String()),
    region: Type.Optional(Type.String()),
    validFrom: Type.Optional(Type.String()),
    currency: Type.Optional(Type.String()),
  },
  versions: { table: "store_regions", write: writeRegions },
  requiredColumns: ["closingHour"],
  isOfStore: true,
  example: { body: exampleBody, response: exampleStore },
});

/** The region of a store from a day on. */
export interface RegionVersion {
  readonly store: number;
  readonly validFrom: number;
  readonly region: string;
}

// The first calendar date of the API.
const beginning = 10_000_101;
const selectVersions =
  "SELECT store_id AS store, valid_from AS validFrom, region FROM store_regions WHERE store_id IN (?) ORDER BY valid_from";
const upsertVersions =
  "INSERT INTO store_regions (store_id, valid_from, region) VALUES ? ON DUPLICATE KEY UPDATE region = VALUES(region)";

/** A region without a day is valid from the store's today on. It is not written if it is today's region already. */
async function writeRegions(transaction: SqlTransaction, rows: readonly StoreRow[]): Promise<void> {
  const ids = rows.flatMap(({ id, region }) => (region === undefined ? [] : [id]));
  if (ids.length === 0) return;
  const known = Map.groupBy(await transaction.query<RegionVersion>(selectVersions, [ids]), ({ store }) => store);
  const versions = rows.flatMap(({ id, region, validFrom, ...clock }) => {
    if (region === undefined) return [];
    const own = known.getOrInsert(id, []);
    const from = validFrom ?? (own.length === 0 ? beginning : businessDayOf(clock, Date.now()));
    if (validFrom === undefined && own.findLast((one) => one.validFrom <= from)?.region === region) return [];
    // The next row may be of the same store.
    own.push({ store: id, validFrom: from, region });
    own.sort((a, b) => a.validFrom - b.validFrom);
    return [[id, from, region]];
  });
  if (versions.length > 0) await transaction.upsert(upsertVersions, versions);
}
