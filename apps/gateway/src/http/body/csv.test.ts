import { Type } from "typebox";
import { expect, test } from "vitest";
import { csvOf } from "./csv.ts";

const Sale = Type.Object({
  id: Type.Integer(),
  name: Type.Optional(Type.String()),
  net: Type.Optional(Type.String()),
  rank: Type.Object({ place: Type.Union([Type.Integer(), Type.Null()]) }),
  items: Type.Array(Type.Object({ item: Type.Integer() })),
});
const of = (more: object) => ({ id: 1, rank: { place: 2 }, items: [], ...more });

test("a cell is quoted where RFC 4180 asks for it, and an optional field that no object has is left out", () => {
  const csv = csvOf(Sale, [of({ name: 'Oat "drink", 1 l' }), of({ name: "Käse\nmild", rank: { place: null } })], {});
  expect(csv).toBe('\uFEFFid,name,rank.place\r\n1,"Oat ""drink"", 1 l",2\r\n1,"Käse\nmild",\r\n');
});

test("entries of a list within an object have a row each, after what comes before", () => {
  const csv = csvOf(Sale, [of({ items: [{ item: 7 }, { item: 8 }] }), of({ id: 3 })], { storeID: 5 });
  expect(csv.split("\r\n").slice(1)).toEqual(["5,1,2,7", "5,1,2,8", "5,3,2,", ""]);
  expect(csvOf(Sale, [], { storeID: 5 })).toBe("\uFEFFstoreID,id,name,net,rank.place,items.item\r\n");
});

test.each(["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "＝1"])("%j is no formula in a spreadsheet", (name) => {
  const [, cell = ""] = /^\uFEFFid,name,rank.place\r\n1,"?([^]*?)"?,2\r\n$/.exec(csvOf(Sale, [of({ name })], {})) ?? [];
  expect(cell).toBe(`'${name}`);
});

test("a negative number or amount stays one, and an offset from UTC", () => {
  const csv = csvOf(Sale, [of({ id: -3, name: "-05:00", net: "-1.5000" })], {});
  expect(csv).toBe("\uFEFFid,name,net,rank.place\r\n-3,-05:00,-1.5000,2\r\n");
});
