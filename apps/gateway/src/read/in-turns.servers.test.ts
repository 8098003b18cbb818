import { setTimeout as delay } from "node:timers/promises";
import { ownDatabase } from "@tally/database/own-database";
import { expect, test } from "vitest";
import { inTurns } from "./in-turns.ts";

const own = ownDatabase();
const numbers = "WITH RECURSIVE n AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM n WHERE a < ?) SELECT a, 'x' FROM n";

test("one SELECT streams at a time, and a failure ends only its own; one that waits too long is rejected", async () => {
  const database = own.connect({ readUrl: own.writeUrl });
  const stream = inTurns(database, 60_000);
  const found: string[] = [];
  const failing = new Error("enough");
  const taking = (name: number) => async (rows: readonly (readonly unknown[])[]) => {
    found.push(`${name} begins`);
    if (name === 1) throw failing;
    await delay(50);
    found.push(`${name} ${rows.length} ${rows[0]?.join("")}`);
  };
  // A chunk has 5,000 rows.
  const calls = [0, 1, 2].map((name) => stream(numbers, [900], taking(name)));
  const outcomes = (await Promise.allSettled(calls)).map((one) => (one.status === "rejected" ? one.reason : "read"));
  expect(outcomes).toEqual(["read", failing, "read"]);
  expect(found).toEqual(["0 begins", "0 900 1x", "1 begins", "2 begins", "2 900 1x"]);

  const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
  const soon = inTurns(database, 3000);
  const slow = soon(numbers, [2], () => held);
  await expect(soon(numbers, [900], taking(3))).rejects.toMatchObject({ code: "READS_FULL" });
  const next = soon(numbers, [900], taking(4));
  release(undefined);
  await Promise.all([slow, next]);
  expect(found.slice(5)).toEqual(["4 begins", "4 900 1x"]);
});
