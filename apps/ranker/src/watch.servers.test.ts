import { ownDatabase } from "@tally/database/own-database";
import { addDomains, ledgerMigrations, retentionMigrations } from "@tally/database";
import { domains } from "@tally/domains";
import { silentLog } from "@tally/runtime";
import { defaultSeries, type WatchSources } from "@tally/contract";
import { ownRankings } from "@tally/redis/own-rankings";
import { expect, onTestFinished, test } from "vitest";
import { Auditor } from "./auditor.ts";

const purchases = domains.find(({ name }) => name === "purchases") ?? expect.fail("there is no domain purchases");
const own = ownDatabase(
  [ledgerMigrations, "ledger"],
  [retentionMigrations, "retention"],
  [purchases.migrations, purchases.name],
);

test("a ranker looks at the boards of a domain, and reports its alerts", async () => {
  const database = own.connect();
  await database.transaction((transaction) => addDomains(transaction, [purchases.name]));
  const { rankings } = ownRankings(1, [purchases]);
  const seen: unknown[] = [];
  const watch = async ({ rows, boards, nowMs, transaction }: WatchSources) => {
    seen.push(Math.abs(nowMs - Date.now()) < 60_000, (await boards.whole(["store:7"])).cells.length);
    seen.push(await rows.query("SELECT 1 AS one"), await transaction((tx) => tx.query("SELECT 2 AS two")));
    return { silent: 3 };
  };
  const nothing = () => undefined;
  const auditor = new Auditor({
    domains: [{ ...purchases, watch }],
    database,
    rankings,
    log: silentLog,
    keptMs: 3_600_000,
    series: defaultSeries,
    onWatched: (...alerts) => seen.push(alerts),
    onRepaired: nothing,
    onRebuilt: nothing,
    onRebuildDelayed: nothing,
    onFoldFailed: nothing,
  });
  onTestFinished(() => auditor.stop());
  const all = [true, 1, [{ one: 1 }], [{ two: 2 }], [purchases.name, "silent", 3]];
  await expect.poll(() => seen).toEqual(all);
});
