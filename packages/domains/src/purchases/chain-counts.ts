import { boardsOfSeries, chainBoards, InvalidInput, keyedRead, sumOfCounts } from "@tally/contract";
import type { KeyedRead, ReadKey, Sources } from "@tally/contract";
import { Counts, type Count } from "./counts.ts";
import { topOfRegion, type Region } from "./live-chain.ts";
import { sales } from "./series.ts";
import type { RegionVersion } from "./stores.ts";
import { inLedger, tables, type Key, type Owner } from "./window-counts.ts";

// About two seconds, and 100 MB of the gateway. A purchase that is not folded is a row; a folded day has up to 16 for
// each store.
const rowsMax = 300_000;

/** The counts of all stores in a window, or of some: their number and their ids come before the key. */
const countsOf = (ofMember: string, ofStore: string) =>
  keyedRead({
    select: `${[
      `SELECT member AS store, LEFT(series, 8) AS day, CAST(counts AS CHAR) AS counts, 1 AS isFolded
      FROM folded_series FORCE INDEX (PRIMARY) WHERE domain = 'purchases' AND series IN (?) ${ofMember}`,
      ...tables.map(
        ([table, day]) => `
        SELECT store_id, DATE_FORMAT(${day}, '%Y%m%d'), CAST(items AS CHAR), 0 FROM ${table} ${inLedger}
          AND ${day} BETWEEN ? AND ? ${ofStore}`,
      ),
    ].join("\nUNION ALL\n")} LIMIT ${rowsMax + 1}`,
    values([many, ...key]: readonly [many: number, ...(string | number)[]]) {
      const [stores, [, , , to = 0, seriesFrom = 0, , ...series]] = [key.slice(0, many), key.slice(many)];
      const some = many === 0 ? [] : [stores];
      return [series, ...some, seriesFrom, to, ...some, seriesFrom, to, ...some];
    },
    ofRows: (rows: readonly { store: number; day: string; counts: string; isFolded: 0 | 1 }[]) => rows,
  });
const ofAllStores = countsOf("", "");
const ofSomeStores = countsOf("AND member IN (?)", "AND store_id IN (?)");

/** The items or the stores of the chain, or of a region. What the boards of live days do not show is counted from all
 * rows of its stores. */
export function ofChain(list: "keys" | "members", region?: Region): Owner {
  return {
    id: 0,
    boardOf: (_, series) => (region === undefined ? chainBoards(boardsOfSeries(sales, series))?.[list] : undefined),
    ...(region !== undefined && {
      topLive: (boards, window, limit) => topOfRegion(boards, region, { window, list, limit }),
    }),
    async countsOf(read, key: Key) {
      const stores = region?.stores ?? [];
      const rows = await read(region === undefined ? ofAllStores : ofSomeStores, [stores.length, ...stores, ...key]);
      if (rows.length > rowsMax)
        throw new InvalidInput(key[2] === key[3] ? "date" : "from", "at most 300,000 sales: fewer days, or a region with fewer stores", `${key[2]}`); // oxfmt-ignore
      const own = region === undefined ? rows : rows.filter(({ store, day }) => region.has(store, Number(day)));
      const idOf = (store: number) => (list === "members" ? store : null);
      const counted = own.map(({ store, counts, isFolded }) => ({ id: idOf(store), counts, isFolded }));
      return new Counts().add(counted, key[1]);
    },
    hasRows: false,
  };
}

const versionsOfRegion = keyedRead({
  select: `SELECT store_id AS store, valid_from AS validFrom, region FROM store_regions
    WHERE store_id IN (SELECT store_id FROM store_regions WHERE region = ?) ORDER BY valid_from DESC`,
  values: ([region]: readonly [string]) => [region],
  ofRows: (rows: readonly RegionVersion[]) => Map.groupBy(rows, ({ store }) => store),
});

/** Throws InvalidInput for a region without stores. */
export async function regionNamed({ read }: Pick<Sources, "read">, name: string): Promise<Region> {
  const versions = await read(versionsOfRegion, [name]);
  if (versions.size === 0) throw new InvalidInput("region", "a region of a registered store", name);
  return {
    stores: [...versions.keys()],
    has: (store, day) => versions.get(store)?.find(({ validFrom }) => validFrom <= day)?.region === name,
  };
}

/** The region of each store on a day. */
export const regionsOnDay = keyedRead({
  select: `SELECT store_id AS store, valid_from AS validFrom, region FROM store_regions WHERE valid_from <= ? ORDER BY valid_from`,
  values: ([day]: readonly [number]) => [day],
  ofRows: (rows: readonly RegionVersion[]) => new Map(rows.map(({ store, region }) => [store, region])),
});

/** The counts of stores on a day by their region then. */
export async function byRegion({ read }: Pick<Sources, "read">, day: number, ofStores: Iterable<Count>) {
  return sumsOf(ofStores, await read(regionsOnDay, [day]));
}

/** Of the last seconds: only the boards of the live days are newer. */
export const kept = async <K extends ReadKey, T>(sources: Kept, what: KeyedRead<K, T>, key: K): Promise<T> =>
  (await sources.readKept(what, key)) ?? sources.read(what, key);
type Kept = Pick<Sources, "read" | "readKept">;

const categories = keyedRead({
  select: "SELECT item_id AS item, category FROM items WHERE category IS NOT NULL",
  values: () => [],
  ofRows: (rows: readonly { readonly item: number; readonly category: string }[]) =>
    new Map(rows.map(({ item, category }) => [item, category])),
});

/** The counts of items by their category. */
export async function byCategory(sources: Kept, ofItems: Iterable<Count>) {
  return sumsOf(ofItems, await kept(sources, categories, []));
}

/** The highest first. What has no name is left out. */
function sumsOf(counts: Iterable<Count>, names: ReadonlyMap<number, string>) {
  const sums = new Map<string, number>();
  for (const { id, count } of counts) {
    const name = names.get(id);
    if (name !== undefined) sums.set(name, sumOfCounts(sums.get(name), count));
  }
  const sold = Array.from(sums, ([name, count]) => ({ name, count })).filter(({ count }) => count !== 0);
  return sold.toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
}
