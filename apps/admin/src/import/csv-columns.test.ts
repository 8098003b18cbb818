import { expect, test } from "vitest";
import { fileDomainNamed } from "../flags.ts";
import { csvColumns } from "./file-format.ts";

const columnsOf = (name: string, header: string) => csvColumns("a.csv", header.split(","), fileDomainNamed(name));

test("a column that was forgotten does not make rides of unknown skiers, an empty cell of an export does", () => {
  expect(() => columnsOf("liftrides", "resortID,dayID,time,liftID")).toThrow(
    "a.csv, line 1: column skierID: expected, its cells may be empty",
  );
  const columns = columnsOf("liftrides", "resortID,seasonID,dayID,skierID,time,liftID");
  expect(columns.entryOf(["a", "", "1", "", "408", "27"])).not.toHaveProperty("skierID");
});

test("an item in own columns may have its amounts beside it; empty cells are none", () => {
  const columns = columnsOf("purchases", "storeID,custID,date,ItemID,numberOfItems,discountAmount,unitPrice,soldAt");
  const sale = { storeID: "5", custID: "1", date: "20261120" };
  const entryOf = (...cells: readonly string[]) => columns.entryOf([...Object.values(sale), ...cells]);
  expect(entryOf("9", "3", "", "", "")).toEqual({ ...sale, items: [{ ItemID: "9", numberOfItems: 3 }] });
  const soldAt = "2026-11-20T12:00:00Z";
  expect(entryOf("9", "3", "0.5", " 1.99", soldAt)).toEqual({
    ...sale,
    items: [{ ItemID: "9", numberOfItems: 3, unitPrice: "1.99", discountAmount: "0.5" }],
    soldAt,
  });
  expect(() => columnsOf("purchases", "storeID,custID,date,items,unitPrice")).toThrow(
    "column unitPrice: expected no such",
  );
});

test("JSON in a cell is read as strictly as the body of a request", () => {
  const columns = columnsOf("refunds", "storeID,date,sale,items");
  expect(columns.entryOf(["7", "20261120", "", '[{"ItemID":9,"numberOfItems":1}]'])["items"]).toEqual([
    { ItemID: 9, numberOfItems: 1 },
  ]);
  const problems = [
    ["[", "items: expected JSON, got "],
    ['[{"ItemID":9,"ItemID":8}]', "items: [0].ItemID: expected each key once"],
    ["[".repeat(65) + "]".repeat(65), "items: expected at most 64 levels"],
  ] as const;
  for (const [cell, problem] of problems) expect(() => columns.entryOf(["7", "20261120", "", cell])).toThrow(problem);
});
