import { boardsOfSeries, chainBoards, InvalidInput, keyedRead, sumOfCounts } from "@tally/contract";
import type { KeyedRead, ReadKey, Sources } from "@tally/contract";
import { Counts, type Count } from "./counts.ts";
import { topOfRegion, type Region } from "./live-chain.ts";
import { itemCategories } from "./items.ts";
import { inLedger, sales } from "./series.ts";
import { storeRegions } from "./stores.ts";
import type { Version } from "./versions.ts";
import { tables, type Key, type Owner } from "./window-counts.ts";

// A purchase that is not folded is a row; a folded day has up to 16 for each store. Of one day about two seconds, and
// 100 MB of the gateway. Of several days, which are streamed, 20 s: 28 days of 5,000 stores have 2,240,000.
const rowsMax = { ofDay: 300_000, ofDays: 3_000_000 };
// Of all time, a row has up to an eighth of the items of a store: 1.5 GB are about 150,000,000 counts.
const charactersMax = 1_500_000_000;

/** Of a purchase, or of a folded day of a store. */
interface Row {
  readonly store: number;
  readonly day: string;
  readonly counts: string;
  readonly isFolded: 0 | 1;
}

const rowOf = ([store, day, counts, isFolded]: readonly unknown[]): Row => {
  return { store: Number(store), day: String(day), counts: String(counts), isFolded: Number(isFolded) === 1 ? 1 : 0 };
};

/** The counts of all stores in a window, or of some: their number and their ids come before the key. */
function countsOf(folded: string, ofStore: string) {
  const select = [
    `SELECT member AS store, LEFT(series, 8) AS day, CAST(counts AS CHAR) AS counts, 1 AS isFolded FROM ${folded}`,
    ...tables.map(
      ([table, day]) => `
        SELECT store_id, DATE_FORMAT(${day}, '%Y%m%d'), CAST(items AS CHAR), 0 FROM ${table} ${inLedger}
          AND ${day} BETWEEN ? AND ? ${ofStore}`,
    ),
  ].join("\nUNION ALL\n");
  const values = ([many, ...key]: readonly [many: number, ...(string | number)[]]) => {
    const [stores, [, , from = 0, to = 0, , ...series]] = [key.slice(0, many), key.slice(many)];
    const some = many === 0 ? [] : [stores];
    const ofFolded = many === 0 ? [series] : [series, stores].map((list) => JSON.stringify(list));
    return [...ofFolded, from, to, ...some, from, to, ...some];
  };
  const ofRows = (rows: readonly Row[]) => rows;
  return { select, values, ofDay: keyedRead({ select: `${select} LIMIT ${rowsMax.ofDay + 1}`, values, ofRows }) };
}
const ofAllStores = countsOf("folded_series FORCE INDEX (PRIMARY) WHERE domain = 'purchases' AND series IN (?)", "");
// IN makes a range of each day of a store: for more than 32,000, MariaDB reads the counts of all stores.
const ofSomeStores = countsOf(
  `JSON_TABLE(?, '$[*]' COLUMNS (day VARCHAR(24) CHARACTER SET ascii COLLATE ascii_bin PATH '$')) AS of_day
    STRAIGHT_JOIN JSON_TABLE(?, '$[*]' COLUMNS (store BIGINT UNSIGNED PATH '$')) AS of_store
    STRAIGHT_JOIN folded_series FORCE INDEX (PRIMARY) ON domain = 'purchases' AND series = day AND member = store`,
  "AND store_id IN (?)",
);

/** Requests for the same window share its counts while they are under way: those of many days take seconds. */
const underWay = new WeakMap<Sources["stream"], Map<string, Promise<Counts>>>();

async function shared(stream: Sources["stream"], name: string, count: () => Promise<Counts>): Promise<Counts> {
  const all = underWay.getOrInsertComputed(stream, () => new Map());
  return all.getOrInsertComputed(name, () => count().finally(() => all.delete(name)));
}

/** The items or the stores of the chain, or of a region. What the boards of live days do not show is counted from all
 * rows of its stores. `days`: the parameter that the error for too many rows names. */
export function ofChain(
  list: "keys" | "members",
  [field, text]: readonly [field: "date" | "from", text: string | undefined],
  region?: Region,
): Owner {
  return {
    id: 0,
    boardOf: (_, series) => (region === undefined ? chainBoards(boardsOfSeries(sales, series))?.[list] : undefined),
    ...(region !== undefined && {
      topLive: (boards, window, limit) => topOfRegion(boards, region, { window, list, limit }),
    }),
    async countsOf({ read, stream }, key: Key) {
      const [stores, [, by, from, to]] = [region?.stores ?? [], key];
      const { select, values, ofDay } = region === undefined ? ofAllStores : ofSomeStores;
      const chosen = [stores.length, ...stores, ...key] as const;
      const isDay = from === to;
      const most = isDay ? rowsMax.ofDay : rowsMax.ofDays;
      const idOf = (store: number) => (list === "members" ? store : null);
      const sums = new Counts();
      let [seen, characters] = [0, 0];
      const tooMany = (size: string) => new InvalidInput(field, `at most ${size}: fewer days, or a region with fewer stores`, text); // oxfmt-ignore
      const add = async (rows: readonly Row[]): Promise<void> => {
        if ((seen += rows.length) > most) throw tooMany(`${most.toLocaleString("en")} sales`);
        characters = rows.reduce((sum, { counts }) => sum + counts.length, characters);
        if (characters > charactersMax) throw tooMany("1.5 GB of counts");
        const own = region === undefined ? rows : rows.filter(({ store, day }) => region.has(store, Number(day)));
        const counted = own.map(({ store, counts, isFolded }) => ({ id: idOf(store), counts, isFolded }));
        await sums.add(counted, by);
      };
      if (isDay) {
        await add(await read(ofDay, chosen));
        return sums;
      }
      return shared(stream, JSON.stringify([list, region?.of, by, from, to]), async () => {
        await stream(select, values(chosen), (rows) => add(rows.map(rowOf)));
        return sums;
      });
    },
  };
}

const versionsOfRegion = keyedRead({
  select: `${storeRegions.select}
    WHERE store_id IN (SELECT store_id FROM store_regions WHERE region = ?) ORDER BY valid_from DESC`,
  values: ([region]: readonly [string]) => [region],
  ofRows: (rows: readonly Version[]) => Map.groupBy(rows, ({ id }) => id),
});

/** Throws InvalidInput for a region without stores. */
export async function regionNamed({ read }: Pick<Sources, "read">, name: string): Promise<Region> {
  const versions = await read(versionsOfRegion, [name]);
  if (versions.size === 0) throw new InvalidInput("region", "a region of a registered store", name);
  return {
    stores: [...versions.keys()],
    of: [name, ...versions.values()],
    has: (store, day) => versions.get(store)?.find(({ validFrom }) => validFrom <= day)?.value === name,
  };
}

/** The counts of stores on a day by their region then. */
export async function byRegion({ read }: Pick<Sources, "read">, day: number, ofStores: Iterable<Count>) {
  return sumsOf(ofStores, (await read(storeRegions.onDay, []))(day));
}

/** Of the last seconds: only the boards of the live days are newer. */
export const kept = async <K extends ReadKey, T>(sources: Kept, what: KeyedRead<K, T>, key: K): Promise<T> =>
  (await sources.readKept(what, key)) ?? sources.read(what, key);
type Kept = Pick<Sources, "read" | "readKept">;

/** The counts of items by their category on a day. */
export async function byCategory(sources: Kept, day: number, ofItems: Iterable<Count>) {
  return sumsOf(ofItems, (await kept(sources, itemCategories.onDay, []))(day));
}

/** The highest first, with ranks. What has no name is left out. */
function sumsOf(counts: Iterable<Count>, names: ReadonlyMap<number, string>) {
  const sums = new Map<string, number>();
  for (const { id, count } of counts) {
    const name = names.get(id);
    if (name !== undefined) sums.set(name, sumOfCounts(sums.get(name), count));
  }
  const sold = Array.from(sums, ([name, count]) => ({ name, count })).filter(({ count }) => count !== 0);
  const sorted = sold.toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
  return sorted.map(({ name, count }, at) => ({ rank: at + 1, name, count }));
}
