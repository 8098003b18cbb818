import { decodeRankingMessage, firstLiveDay, newEventId, type Change, type Domain } from "@tally/contract";
import { awayFromMidnight } from "@tally/local/at-end";
import { audit, rebuild } from "@tally/reconcile";
import { ownRankings } from "@tally/redis/own-rankings";
import { expect, test } from "vitest";
import { bodyOf, newBatchId, openWriter, purchases, purchasesDatabase, sale } from "./purchases.test-kit.ts";

const own = purchasesDatabase();
const { rankings } = ownRankings(2, [purchases]);
const series = { windows: ["all", "day"], by: ["grossSales", "netSales"] } as const;
await awayFromMidnight();
const [yesterday = 0, today = 0] = [1, 2].map((days) => firstLiveDay(Date.now() + days * 86_400_000));

/** What a change counts: of a correction. */
interface Corrected extends Change {
  readonly counted?: { readonly date: number };
}
type Rank = Domain<Change["event"], Corrected>["rank"];

const isVoid = ({ event }: Change): boolean => "kind" in event && event.kind === "void";
const onDayOfSale = (change: Corrected): Corrected =>
  change.counted === undefined || isVoid(change)
    ? change
    : { ...change, counted: { ...change.counted, date: yesterday } };

const ranks: Readonly<Record<string, (rank: Rank, ...given: Parameters<Rank>) => void>> = {
  "as it is": (rank, ...given) => rank(...given),
  "a void counted twice": (rank, changes, ...rest) => rank([...changes, ...changes.filter(isVoid)], ...rest),
  "a refund on the day of its sale": (rank, changes, ...rest) => rank(changes.map(onDayOfSale), ...rest),
  "a day that misses late sales": (rank, changes, moves, kept) => rank(changes, moves, { ...kept, from: today }),
  "a measure that is missing": (rank, changes, moves, kept) => rank(changes, moves, { ...kept, measures: [] }),
};

test.each(Object.entries(ranks))("the audit judges the boards of days and measures: %s", async (name, change) => {
  const domain: Domain = { ...purchases, rank: (...given) => change(purchases.rank, ...given) };
  const { database, take, messages } = await openWriter(own, { series, domain });
  await rebuild({ domain, database, rankings, series });
  const storeId = Object.keys(ranks).indexOf(name) + 1;
  const [kept, voided] = [1, 2].map((price) => sale(storeId, { date: yesterday, lines: [[5, 2, price * 100, 10]] }));
  const refund = { id: newEventId(), kind: "refund", saleId: kept?.id, storeId, date: today, lines: [[0, 5, 1]] };
  await take(bodyOf([kept ?? expect.fail(), voided ?? expect.fail()]));
  const ofVoided = { id: newEventId(), kind: "void", saleId: voided?.id };
  await take(bodyOf([ofVoided, refund]));
  for (const body of messages) await rankings.rank(domain.name, decodeRankingMessage(body));
  const found = await audit({ domain, database, rankings, endpoint: "write" });
  expect([found.agrees, found.boards.differences.count > 0]).toEqual(
    name === "as it is" ? [true, false] : [false, true],
  );
  if (name !== "as it is") return;
  const { measures, from } = (await rankings.series(domain.name)) ?? expect.fail("no series");
  expect([measures, from]).toEqual([["grossSales", "netSales"], firstLiveDay(Date.now())]);
  const counts = Object.entries({ "": 1, [yesterday]: 2, [today]: -1, netSales: 95, grossSales: 200 });
  for (const [prefix, count] of counts) {
    const board = `${prefix}${prefix === "" ? "" : "/"}store:${storeId}`;
    expect(await rankings.top(domain.name, board, 10)).toMatchObject({
      isExact: true,
      entries: [{ member: "5", count }],
    });
  }
  for (const board of [`20260101/store:${storeId}`, `${today}/receipts/store:${storeId}`])
    expect((await rankings.top(domain.name, board, 10)).isExact).toBe(false);
  // A writer has met the day after tomorrow, so it moves the boards of yesterday no more.
  const message = decodeRankingMessage(messages[0] ?? expect.fail());
  await rankings.rank(domain.name, { ...message, batch: newBatchId(), storedAt: Date.now() + 2 * 86_400_000 });
  const exact = [yesterday, today].map(async (day) => rankings.top(domain.name, `${day}/store:${storeId}`, 10));
  expect((await Promise.all(exact)).map(({ isExact }) => isExact)).toEqual([false, true]);
});

test("rankings that lack the moves of a series are not believed, until a rebuild has them", async () => {
  const { database, take, messages } = await openWriter(own, { series: { windows: ["all"], by: ["netSales"] } });
  // The read endpoint may lack the sale.
  const built = { domain: purchases, database, rankings, series, endpoint: "write" } as const;
  const [board, storeId] = [`${yesterday}/store:99`, 99];
  for (const isBelieved of [false, true]) {
    await rebuild(built);
    if (!isBelieved) await take(bodyOf([sale(storeId, { date: yesterday })]));
    for (const body of messages) await rankings.rank(purchases.name, decodeRankingMessage(body));
    expect((await rankings.top(purchases.name, board, 10)).isExact).toBe(isBelieved);
    expect([await rankings.series(purchases.name)].includes(undefined)).toBe(!isBelieved);
    expect(await rankings.lacksSeries(purchases.name, series)).toBe(!isBelieved);
    expect(await audit(built)).toMatchObject({ agrees: true });
  }
});
