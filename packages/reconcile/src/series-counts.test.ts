import { randomInt } from "node:crypto";
import { isKept, type KeptSeries, type Series, type SqlSnapshot } from "@tally/contract";
import { expect, test } from "vitest";
import { CellCounts } from "./cell-counts.ts";
import { SeriesCounts } from "./series-counts.ts";

const days = [20260101, 20261124, 20261125];
const seriesOf = (day: number): readonly Series[] =>
  ["", String(day), "netSales", `${day}/netSales`].map((name) => ({
    name,
    by: ([, count = 0]) => (name.endsWith("netSales") ? 3 * count : count),
  }));
const byDay = new Map(days.map((day) => [day, seriesOf(day)]));

type Model = Map<string, CellCounts>;

function addTo(model: Model, [member, key, count, day]: readonly [number, number, number, number]): void {
  for (const { name, by } of byDay.get(day) ?? [])
    model.getOrInsertComputed(name, () => new CellCounts()).add(member, [[key, count]], by);
}

const cellsOf = (counts: CellCounts | undefined) =>
  [...(counts?.byMember("") ?? [])]
    .flatMap(({ board, cells }) => cells.map((cell) => [board, ...cell].join(" ")))
    .toSorted();

/** Folded counts as the database has them. */
function snapshotOf(folded: Model): SqlSnapshot {
  return {
    query: <Row extends object>(sql: string) => {
      const rows: readonly object[] = sql.includes("DISTINCT") ? [...folded.keys()].map((series) => ({ series })) : [];
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return Promise.resolve(rows as readonly Row[]);
    },
    async *stream(_sql, values) {
      const boards = [...(folded.get(String(values?.[1]))?.byMember("") ?? [])];
      yield boards.map(({ board, cells }) => [
        Number(board),
        JSON.stringify(cells.map(([key, by]) => [Number(key), by])),
      ]);
    },
  };
}

const large = Number.MAX_SAFE_INTEGER - 2;

test.each<KeptSeries>([
  { measures: [] },
  { measures: ["netSales"] },
  { measures: [], from: 20261124 },
  { measures: ["netSales"], from: 20261125 },
  { measures: ["netSales"], from: 20261124 },
])("the counts of all kept series are those of their rows and of what is folded: %j", async (kept) => {
  const [folded, expected]: readonly [Model, Model] = [new Map(), new Map()];
  const sums = new SeriesCounts(kept);
  for (let n = 0; n < 3000; n++) {
    const day = days[randomInt(days.length)] ?? 0;
    const row = [randomInt(9), randomInt(40), randomInt(-3, 5), day] as const;
    addTo(expected, row);
    if (randomInt(3) > 0) addTo(folded, row);
    else sums.add(row[0], [[row[1], row[2]]], byDay.get(day) ?? []);
  }
  // No sum on the way must stop at 2^53 - 1: the day has as much as all time, and an older sale is taken back.
  for (const model of [folded, expected]) addTo(model, [10, 1, large, 20261125]);
  addTo(expected, [10, 1, -7, 20260101]);
  sums.add(10, [[1, -7]], byDay.get(20260101) ?? []);
  const found = new Set<string>();
  for await (const [series, counts] of sums.withFolded(snapshotOf(folded), "sales", () => undefined)) {
    expect([series, cellsOf(counts)]).toEqual([series, cellsOf(expected.get(series))]);
    found.add(series);
  }
  expect([...found].toSorted()).toEqual([...expected.keys()].filter((series) => isKept(series, kept)).toSorted());
});
