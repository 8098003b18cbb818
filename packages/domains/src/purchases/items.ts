import { Type } from "typebox";
import { register } from "../register.ts";
import { closed, labels } from "../values.ts";

const [Name, Category] = [labels(100), labels(60)];
const body = { name: "Oat drink, 1 l", category: "Drinks" };
export const exampleItem = { itemID: 85_571, ...body };

export const items = register({
  one: "item",
  put: {
    summary: "registers an item: its name and its category",
    description:
      "A `category` that is left out stays as it was. Rankings show the name within seconds. Needs the scope `operate`, and `OPERATOR_DATABASE_URL`",
  },
  body: closed(
    { name: Name, category: Type.Optional(Category) },
    { expected: 'an object {"name": "Oat drink, 1 l", "category": "Drinks"}' },
  ),
  rowOf: (id, { name, category }) => ({ id, columns: { name, category } }),
  fields: { name: "name", category: "category" },
  shown: { name: Type.String(), category: Type.Optional(Type.String()) },
  example: { body, response: exampleItem },
});
