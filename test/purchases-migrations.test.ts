import { randomBytes } from "node:crypto";
import { dropTestDatabase, migrate, readMigrations, recreateTestDatabase } from "@tally/database";
import { expect, inject, onTestFinished, test } from "vitest";
import { silentLog } from "@tally/runtime";
import { openDatabase } from "./kit/system.ts";

const folder = new URL("../packages/domains/src/purchases/migrations/", import.meta.url);

test("purchases that were stored with a row for each item keep their items in order", async () => {
  const services = inject("services");
  const url = services.databaseWriteUrl.replace(/\/tally_test$/, `/tally_test_${randomBytes(4).toString("hex")}_test`);
  await recreateTestDatabase(url);
  onTestFinished(() => dropTestDatabase(url));
  const database = openDatabase({ addresses: { databaseWriteUrl: url, databaseReadUrl: url } });
  const migrations = await readMigrations(folder, "purchases");
  await migrate({ url, log: silentLog }, migrations.slice(0, 2));
  const ids = [randomBytes(16), randomBytes(16)];
  const many = Array.from({ length: 500 }, (_, line) => [ids[1], line, Number.MAX_SAFE_INTEGER - line, 1_000_000]);
  await database.transaction(async (transaction) => {
    await transaction.insert(
      "INSERT INTO purchases (id, store_id, customer_id, purchased_on, producer, sequence) VALUES ?",
      ids.map((id, index) => [id, index, 7, 20261120, randomBytes(8), index]),
    );
    await transaction.insert("INSERT INTO purchase_items (purchase_id, line, item_id, quantity) VALUES ?", [
      [ids[0] ?? null, 1, 5, 2],
      [ids[0] ?? null, 0, 85571, 1],
      ...many.map((row) => row.map((value) => value ?? null)),
    ]);
  });

  expect(await migrate({ url, log: silentLog }, migrations.slice(0, 3))).toEqual([
    "purchases/003-items-in-the-row-of-their-sale",
  ]);

  const lines = "SELECT line, item_id, quantity, store_id FROM purchase_items WHERE purchase_id = ? ORDER BY line";
  expect(await database.writer.query(lines, [ids[0] ?? null])).toEqual([
    { line: 0, item_id: 85571, quantity: 1, store_id: 0 },
    { line: 1, item_id: 5, quantity: 2, store_id: 0 },
  ]);
  const found = await database.writer.query<{ item_id: number }>(lines, [ids[1] ?? null]);
  expect(found.map((row) => row.item_id)).toEqual(many.map(([, , item]) => item));
});
