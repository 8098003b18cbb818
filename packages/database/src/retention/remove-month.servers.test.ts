import { ownDatabase } from "../connection/own-database.test-kit.ts";
import { expect, test } from "vitest";
import { begin, unfinishedMonth } from "./remove-month.ts";
import { retentionMigrations } from "./retained-from.ts";

const { connect } = ownDatabase([retentionMigrations, "retention"]);

test("a beginning is repeated when the outcome of its commit is unknown; a removed month does not begin again", async () => {
  const database = connect();
  const again = () => begin(database, "purchases", "2025-03");
  await again();
  await again();
  expect(await unfinishedMonth(database.writer, "purchases", "2025-04")).toEqual({ month: "2025-03", step: "moving" });
  await database.transaction((transaction) => transaction.execute("UPDATE retention_months SET step = 'removed'"));
  await expect(again()).rejects.toThrow("purchases: 2025-03 was removed before, and has rows again");
  expect(await unfinishedMonth(database.writer, "purchases", "2025-04")).toBeUndefined();
});
