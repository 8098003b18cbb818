import { ownDatabase } from "@tally/database/own-database";
import { expect, test } from "vitest";
import { streamRows } from "./stream-rows.ts";

const own = ownDatabase();
const numbers = "WITH RECURSIVE n AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM n WHERE a < ?) SELECT a, 'x' FROM n";

test("one SELECT streams at a time, a failure ends only its own, and too many that wait are rejected", async () => {
  const stream = streamRows(own.connect({ readUrl: own.writeUrl }));
  const found: string[] = [];
  const failing = new Error("enough");
  const taking = (name: string) => async (rows: readonly (readonly unknown[])[]) => {
    if (name === "2") throw failing;
    found.push(`${name} ${rows.length} ${rows[0]?.join("")}`);
  };
  // A chunk has 5,000 rows.
  const calls = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"].map((name) => stream(numbers, [900], taking(name)));
  await expect(stream(numbers, [900], taking("10"))).rejects.toMatchObject({ code: "READS_FULL" });
  const outcomes = (await Promise.allSettled(calls)).map((one) => (one.status === "rejected" ? one.reason : "read"));
  expect(outcomes).toEqual(["read", "read", failing, ...Array(7).fill("read")]);
  expect(found).toEqual([0, 1, 3, 4, 5, 6, 7, 8, 9].map((name) => `${name} 900 1x`));
  await stream(numbers, [2], taking("11"));
  expect(found.at(-1)).toBe("11 2 1x");
});
