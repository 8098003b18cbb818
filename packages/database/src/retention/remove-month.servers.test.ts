import { ownDatabase } from "../connection/own-database.test-kit.ts";
import { expect, test } from "vitest";
import { beginMonth, endStep, unfinishedMonth } from "./remove-month.ts";
import { retentionMigrations } from "./retained-from.ts";

const { connect } = ownDatabase([retentionMigrations, "retention"]);

test("a beginning is repeated when the outcome of its commit is unknown; a removed month does not begin again", async () => {
  const database = connect();
  const begin = () => database.transaction((transaction) => beginMonth(transaction, "purchases", "2025-03"));
  await begin();
  await begin();
  expect(await unfinishedMonth(database.writer, "purchases")).toEqual({ month: "2025-03", step: "moving" });
  await database.transaction((transaction) => endStep(transaction, "purchases", "2025-03", ["moving", "removed"]));
  await expect(begin()).rejects.toThrow("purchases: 2025-03 was removed before, and has rows again");
  expect(await unfinishedMonth(database.writer, "purchases")).toBeUndefined();
});
