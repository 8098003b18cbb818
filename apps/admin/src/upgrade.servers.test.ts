import { ledgerMigrations, migrate, readFold, readMigrations, retentionMigrations } from "@tally/database";
import { ownDatabase } from "@tally/database/own-database";
import { domains } from "@tally/domains";
import { silentLog } from "@tally/runtime";
import { firstLiveDay } from "@tally/contract";
import { expect, test } from "vitest";

const database = ownDatabase();

test("what an earlier release has folded stays, and days are complete from the third day after the upgrade on", async () => {
  const { writeUrl } = database;
  const { writer } = database.connect();
  const { name, migrations } = domains.find((domain) => domain.name === "purchases") ?? expect.fail("no purchases");
  const folders = [
    [ledgerMigrations, "ledger"],
    [retentionMigrations, "retention"],
    [migrations, name],
  ] as const;
  const all = (await Promise.all(folders.map(([folder, prefix]) => readMigrations(folder, prefix)))).flat();
  const first = new Set(["ledger/005-series", "purchases/011-folded-series"]);
  const isEarlier = ({ name: file }: { readonly name: string }) => !first.has(file) && file < "purchases/011";
  await migrate({ url: writeUrl, log: silentLog }, all.filter(isEarlier));
  const columns = "domain, member, slice, counts";
  const insertCounts = `INSERT INTO folded_counts (${columns}) VALUES ('purchases', 7, 5, '[[5,3],[13,1]]')
    ON DUPLICATE KEY UPDATE counts = VALUES(counts)`;
  await writer.query(insertCounts);
  const insertFold = "INSERT INTO ledger_folds (domain, epoch, batches, events, changes, refused, newest) VALUES";
  await writer.query(`${insertFold} ('purchases', 4, 2, 9, 9, 0, 1), ('albums', 0, 0, 0, 0, 0, 0)`);
  await migrate({ url: writeUrl, log: silentLog }, all);
  const folded = { domain: "purchases", series: "", member: 7, slice: 5, counts: "[[5,3],[13,1]]" };
  expect(await writer.query("SELECT * FROM folded_series")).toEqual([folded]);
  // As the earlier release reads and writes them, after a rollback.
  expect(await writer.query("SELECT member, slice FROM folded_counts")).toEqual([{ member: 7, slice: 5 }]);
  await expect(writer.query(insertCounts)).rejects.toThrow("default value");
  const inThreeDays = firstLiveDay(Date.now() + 5 * 86_400_000);
  expect([(await readFold(writer, "purchases")).seriesFrom, (await readFold(writer, "albums")).seriesFrom]).toEqual([
    inThreeDays,
    0,
  ]);
});
