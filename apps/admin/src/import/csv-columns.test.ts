import { domains } from "@tally/domains";
import { expect, test } from "vitest";
import { csvColumns } from "./file-format.ts";

const columnsOf = (name: string, header: string) => {
  const domain = domains.find((one) => one.name === name);
  if (domain === undefined) throw new RangeError(name);
  return csvColumns("a.csv", header.split(","), domain);
};

test("a column that was forgotten does not make rides of unknown skiers, an empty cell of an export does", () => {
  expect(() => columnsOf("liftrides", "resortID,dayID,time,liftID")).toThrow(
    "a.csv, line 1: column skierID: expected, its cells may be empty",
  );
  const columns = columnsOf("liftrides", "resortID,seasonID,dayID,skierID,time,liftID");
  expect(columns.entryOf(["a", "", "1", "", "408", "27"])).not.toHaveProperty("skierID");
});
