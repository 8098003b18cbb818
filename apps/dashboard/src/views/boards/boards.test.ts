import { expect, test } from "vitest";
import { entriesOf, labelOf, pathOf, valuesOf, type Board } from "./boards.ts";

const board: Board = {
  domain: "parking",
  name: "regulars",
  title: "Regulars of a garage",
  params: [
    { name: "garageID", label: "Garage", kind: "id" },
    { name: "date", label: "Date", kind: "date" },
    { name: "by", label: "By", kind: "choice", default: "entries", choices: ["entries", "hours"] },
  ],
  path: "/parking/{garageID}/regulars?limit=10&date={date}&by={by}",
  list: "cars",
  member: { field: "plate", label: "Car" },
  count: { field: "entries", label: "Entries" },
  image: "/cars/{plate}/image",
};

test("a path has the values in place of its braces, without the parts of the query that have none", () => {
  expect(pathOf(board, valuesOf(board, { garageID: "7" }))).toBe("/parking/7/regulars?limit=10&by=entries");
  expect(pathOf(board, valuesOf(board, { garageID: "7", date: "all" }))).not.toContain("date");
  expect(pathOf(board, valuesOf(board, { garageID: "7", date: "2026-11-20..2026-11-26" }))).toBe(
    "/parking/7/regulars?limit=10&from=20261120&to=20261126&by=entries",
  );
  expect(pathOf(board, valuesOf(board, { garageID: "a/b", date: "2026-11-20", by: "hours" }))).toBe(
    "/parking/a%2Fb/regulars?limit=10&date=20261120&by=hours",
  );
});

test("a path whose own part has no value is not asked for", () => {
  expect(pathOf(board, valuesOf(board, {}))).toBeUndefined();
});

test("entries have the fields that the view names", () => {
  expect(entriesOf(board, {}, { cars: [{ plate: "B-XY 7", entries: 3 }] })).toEqual([
    { key: "B-XY 7", member: "B-XY 7", name: "", count: 3, image: "/cars/B-XY%207/image" },
  ]);
  const named = entriesOf(
    { ...board, memberName: "owner" },
    {},
    { cars: [{ plate: "B", owner: "Ada" }, { plate: "C" }] },
  );
  expect(named.map(({ member, name }) => labelOf(member, name))).toEqual(["B Ada", "C"]);
  const paid = { ...board, count: { field: "{by}", label: "Paid" } };
  expect(entriesOf(paid, { by: "hours" }, { cars: [{ plate: "B", hours: "2.50" }] })[0]?.count).toBe("2.50");
});

test.each([undefined, null, 5, {}, { cars: 5 }])("a response without the list, %j, has no entries", (body) => {
  expect(entriesOf(board, {}, body)).toEqual([]);
});
