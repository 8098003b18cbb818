import { utcDayOf } from "@tally/contract";
import { Type } from "typebox";
import { register } from "../register.ts";
import { closed, labels } from "../values.ts";
import { BusinessDate } from "./calendar-date.ts";
import { versions } from "./versions.ts";

const [Name, Category] = [labels(100), labels(60)];
const body = { name: "Oat drink, 1 l", category: "Drinks" };
export const exampleItem = { itemID: 85_571, ...body, validFrom: "10000101" };

export const itemCategories = versions({
  one: "item",
  table: "item_categories",
  field: "category",
  // An item has no zone.
  todayOf: () => utcDayOf(Date.now()),
});

export const items = register({
  one: "item",
  put: {
    summary: "registers an item: its name and its category",
    description:
      "`category` is valid for the business days from `validFrom` on, until the day of a later category. Without `validFrom` it is valid from today in UTC on, and the first category of an item for all days. Left out, it stays as it was. Rankings show the name within seconds. Needs the scope `operate`, and `OPERATOR_DATABASE_URL`",
  },
  body: closed(
    { name: Name, category: Type.Optional(Category), validFrom: Type.Optional(BusinessDate) },
    { expected: 'an object {"name": "Oat drink, 1 l", "category": "Drinks"}' },
  ),
  rowOf: (id, { name, category, validFrom }) => ({
    id,
    columns: { name },
    version: itemCategories.parse(category, validFrom),
  }),
  fields: { name: "name", ...itemCategories.fields },
  shown: { name: Type.String(), ...itemCategories.shown },
  versions: itemCategories,
  example: { body, response: exampleItem },
});
