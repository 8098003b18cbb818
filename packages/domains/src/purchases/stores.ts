import { InvalidInput } from "@tally/contract";
import { Type } from "typebox";
import { register, type Row } from "../register.ts";
import { closed, labels, wholeNumbers } from "../values.ts";
import { businessDayOf, zoneNamed, type StoreClock } from "./business-day.ts";
import { BusinessDate } from "./calendar-date.ts";
import { Currency, currencyProblems } from "./currency.ts";
import { versions } from "./versions.ts";

const closingHours = wholeNumbers(0, 6);
const expectedZone = "the IANA name of a time zone, such as America/New_York";
const Zone = Type.String({ pattern: "^[A-Za-z][A-Za-z0-9_+/-]{0,63}$", expected: expectedZone });
const Name = labels(100);
// A client removes dots from the path /regions/{region}, also encoded ones.
const Region = labels(60, [".", ".."]);

const exampleBody = { zone: "Europe/Berlin", closingHour: 2, name: "Berlin Mitte", region: "East", currency: "EUR" };
export const exampleStore = { storeID: 7, ...exampleBody, validFrom: "10000101" };

interface StoreRow extends StoreClock, Row {
  readonly currency: string | undefined;
}

export const storeRegions = versions({
  one: "store",
  table: "store_regions",
  field: "region",
  todayOf: (row: StoreRow) => businessDayOf(row, Date.now()),
});

export const stores = register({
  one: "store",
  put: {
    summary:
      "registers a store: its time zone, until which hour after midnight its business day goes on, its name, its region and its currency",
    description:
      "`closingHour` is 0 to 6, by default 0. `today`, `yesterday` and the hours of sales follow it, also of earlier days; the date of a sale stays what its till said. `region` is valid for the business days from `validFrom` on, until the day of a later region. Without `validFrom` it is valid from the store's today on, and the first region of a store for all days. All stores have one `currency`, that of `CURRENCY` if it is set, because rankings add up their money; it is fixed once the store has sold with prices. A `name`, `region` or `currency` that is left out stays as it was. Needs the scope `operate`, and `OPERATOR_DATABASE_URL`. All gateways know the clock at once, and names within seconds",
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
    const columns = { zone, closing_hour: closingHour, name, currency };
    return { id, columns, zone, closingHour, version: storeRegions.parse(region, from), currency };
  },
  problemsOf: currencyProblems,
  fields: {
    zone: "zone",
    closingHour: "closing_hour",
    name: "name",
    ...storeRegions.fields,
    currency: "currency",
  },
  shown: {
    zone: Type.String(),
    closingHour: Type.Integer(),
    name: Type.Optional(Type.String()),
    ...storeRegions.shown,
    currency: Type.Optional(Type.String()),
  },
  versions: storeRegions,
  requiredColumns: ["closingHour"],
  isOfStore: true,
  example: { body: exampleBody, response: exampleStore },
});
