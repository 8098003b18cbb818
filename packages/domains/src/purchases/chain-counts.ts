import { boardsOfSeries, chainBoards, keyedRead } from "@tally/contract";
import { Counts, type CountsRow } from "./counts.ts";
import { sales } from "./series.ts";
import { folded, inLedger, tables, type Key, type Owner } from "./window-counts.ts";

/** All items, or all stores. A window without a board reads the counts of all stores in it. */
function ofChain(list: "keys" | "members"): Owner {
  const idOf = (store: string): string => (list === "members" ? store : "NULL");
  const counts = keyedRead({
    select: [
      `SELECT ${idOf("member")} AS id, ${folded("PRIMARY")}`,
      ...tables.map(
        ([table, day]) =>
          `SELECT ${idOf("store_id")}, CAST(items AS CHAR), 0 FROM ${table} ${inLedger} AND ${day} BETWEEN ? AND ?`,
      ),
    ].join("\nUNION ALL\n"),
    values: ([, , , to, seriesFrom, , ...series]: Key) => [series, seriesFrom, to, seriesFrom, to],
    keysMax: 1,
    ofRows: (rows: readonly CountsRow[], [, by]) => new Counts().add(rows, by),
  });
  return {
    id: 0,
    boardOf: (_, series) => chainBoards(boardsOfSeries(sales, series))?.[list] ?? "",
    countsOf: async (read, key) => read(counts, key),
    hasRows: false,
  };
}

export const itemsOfChain = ofChain("keys");
export const storesOfChain = ofChain("members");
