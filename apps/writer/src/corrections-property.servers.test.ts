import { decodeRankingMessage, firstLiveDay, isKept, keptSince, newEventId, type Event } from "@tally/contract";
import { countLetters, findLetters, readFold } from "@tally/database";
import { nextEpoch } from "@tally/database/own-database";
import { audit, fold, rebuild, repair } from "@tally/reconcile";
import { ownRankings } from "@tally/redis/own-rankings";
import { silentLog } from "@tally/runtime";
import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { storeParked } from "./parked-events.ts";
import { bodyOf, deliveryOf, openWriter, purchases, purchasesDatabase, sale } from "./purchases.test-kit.ts";
import { sumsOfRows } from "./purchases.test-kit.ts";
import type { Sum } from "./purchases.test-kit.ts";

const own = purchasesDatabase();
const { rankings } = ownRankings(1, [purchases]);
const { name } = purchases;
const [stores, batches, phases] = [3, 12, 3];
const series = { windows: ["all", "day"], by: ["netSales"] } as const;
const live = keptSince(series, Date.now());
// With live boards, also after midnight, and without.
const days = [firstLiveDay(Date.now() + 86_400_000), 20260101];

/** What a sale adds in a store, or a correction takes back there of each line. A void: all lines of its sale. */
interface Counted {
  readonly event: Event;
  readonly storeId: number;
  readonly lines: readonly (readonly [line: number, itemId: number, quantity: number])[];
  readonly inBatches: readonly number[];
}

const linesUpTo = (max: number) =>
  fc.array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max })), { minLength: 1, maxLength: 3 });
const part = {
  store: fc.nat(stores - 1),
  // A correction may come before its sale, and each event twice.
  inBatches: fc.uniqueArray(fc.nat(batches - 1), { minLength: 1, maxLength: 2 }),
};
const taken = fc.record({ ...part, of: fc.nat(), isVoid: fc.nat(3).map((n) => n === 0), lines: linesUpTo(2) });
const scenario = fc.record({
  sold: fc.array(fc.record({ ...part, lines: linesUpTo(6) }), { minLength: 4, maxLength: 8 }),
  takenBack: fc.array(taken, { minLength: 10, maxLength: 30 }),
  // For each turn, the batch of each writer: their transactions begin at once.
  turns: fc.array(fc.tuple(fc.nat(batches - 1), fc.nat(batches - 1)), { minLength: 2 * batches }),
  work: fc.shuffledSubarray(["fold", "rebuild", "shards"] as const, { minLength: phases }),
  shards: fc.integer({ min: 1, max: 4 }),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

/** Sales and corrections in stores that no other run has. A void may be there several times. */
function eventsOf({ sold, takenBack }: Scenario, run: number) {
  const sales = sold.map(({ store, inBatches, lines: items }) => {
    const storeId = run * stores + store;
    const lines = items.map(([item, quantity], line) => [line, item, quantity] as const);
    const date = days[items.length % days.length];
    const priced = items.map(([item, quantity]) => [item, quantity, 100 + storeId, quantity]);
    const event = sale(storeId, { lines: store === 0 ? items : priced, date });
    return { event, storeId, lines, inBatches, voidId: newEventId() };
  });
  const correctionOf = ({ store, inBatches, isVoid, ...one }: Scenario["takenBack"][number]) => {
    const of = sales[one.of % sales.length] ?? expect.fail();
    const saleId = of.event.id;
    if (isVoid) return { ...of, of, inBatches, event: { id: of.voidId, kind: "void", saleId } };
    const lines = one.lines.map(([at, quantity]) => {
      const [line, item] = of.lines[at % of.lines.length] ?? expect.fail();
      return [line, item, quantity] as const;
    });
    const counted = { storeId: run * stores + store, lines };
    const event = { id: newEventId(), kind: "refund", saleId, date: days[store % days.length], ...counted };
    return { ...counted, of, inBatches, event };
  };
  return { sales, sent: takenBack.map(correctionOf) };
}

/** Two writers, one of which stores what is parked; live rankings, and work on them. */
async function openSystem() {
  const database = own.connect({ writeConnections: 12 });
  const ending = new AbortController();
  const opened = await Promise.all([1, 2].map(() => openWriter(own, { transactionEveryMs: 1, series })));
  const writers = opened.map(({ writer }) => writer);
  const parts = { domain: purchases, awaited: "purchases", database, signal: ending.signal, log: silentLog };
  // By one writer: of two, one could store a copy when nothing is parked any more.
  void storeParked({ ...parts, writer: writers[0] ?? expect.fail() });
  onTestFinished(() => ending.abort());
  const options = { domain: purchases, database, rankings };
  const rebuildWith = async (shards?: number) =>
    expect(await rebuild({ ...options, series, shards })).toMatchObject({ name: "rebuilt" });
  const work = {
    async fold() {
      const until = await vi.waitFor(async () => {
        const { earlier, closedTo } = await nextEpoch(database, name);
        expect(earlier.isOpen).toBe(false);
        return closedTo;
      }, 60_000);
      await repair({ domain: name, reader: database.writer, rankings, from: 0, until });
      await fold({ ...options, until, keptMs: 0, waitMs: 0 });
    },
    rebuild: () => rebuildWith(),
    shards: rebuildWith,
  };
  await rebuildWith();
  return {
    database,
    writers,
    work,
    drain: () => Promise.all(writers.map((writer) => writer.drain())),
    /** Each ranking message twice, in any order. */
    rank: async () => {
      const twice = [...opened, ...opened].flatMap(({ messages }) => messages).toSorted(() => Math.random() - 0.5);
      await Promise.all(twice.map((body) => rankings.rank(name, decodeRankingMessage(body))));
    },
    audit: (isFull: boolean) => audit({ ...options, endpoint: "write", isFull }),
  };
}

type System = Awaited<ReturnType<typeof openSystem>>;

/** Stores, ranks and works at once, phase by phase, until nothing is parked and all is ranked. */
async function play({ database, writers, ...system }: System, one: Scenario, all: readonly Counted[]) {
  const bodies = Array.from({ length: batches }, (_, at) =>
    bodyOf(all.filter(({ inBatches }) => inBatches.includes(at)).map(({ event }) => event)),
  );
  const store = async (phase: number) => {
    for (const turn of one.turns.filter((_, at) => at % phases === phase)) {
      for (const [at, batch] of turn.entries()) writers[at]?.take(deliveryOf(bodies[batch] ?? expect.fail()));
      await system.drain();
    }
  };
  for (const [phase, which] of one.work.entries())
    await Promise.all([store(phase), system.rank(), system.work[which](one.shards)]);
  for (const body of bodies) for (const writer of writers) writer.take(deliveryOf(body));
  await system.drain();
  const nothingIsParked = async () => expect((await countLetters(database.writer)).parked).toBe(0);
  await vi.waitFor(nothingIsParked, { timeout: 60_000, interval: 50 });
  await system.drain();
  await system.rank();
}

const cellsOf = (storeId: number, item: number) => [`store:${storeId} ${item}`, `item:${item} ${storeId}`];
const cellsOfDay = (storeId: number, item: number) => [
  ...cellsOf(storeId, item),
  `all:stores ${storeId}`,
  `all:items ${item}`,
];

/** The cells of all kept series. */
function cellsOfSums(sums: readonly Sum[]): Map<string, number> {
  const cells = new Map<string, number>();
  for (const { storeID, day, itemID, quantity, netSales } of sums) {
    for (const [one, by] of [
      ["", quantity],
      [day, quantity],
      ["netSales", netSales],
      [`${day}/netSales`, netSales],
    ] as const) {
      if (!isKept(one, live)) continue;
      for (const place of (one.startsWith(day) ? cellsOfDay : cellsOf)(storeID, itemID)) {
        const cell = one === "" ? place : `${one}/${place}`;
        cells.set(cell, (cells.get(cell) ?? 0) + by);
      }
    }
  }
  return withoutZeros(cells);
}

const withoutZeros = (cells: ReadonlyMap<string, number>) => new Map([...cells].filter(([, count]) => count !== 0));

async function boards(): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for await (const names of rankings.boards(name)) {
    const read = names.map((board) => ({ board }));
    for (const [at, { cells, alsoStored }] of (await rankings.cells(name, read)).entries()) {
      expect(alsoStored.size).toBe(0);
      for (const [member, count] of cells) found.set(`${names[at]} ${member}`, count);
    }
  }
  return found;
}

const takeFrom = (left: readonly number[], { lines }: Counted) =>
  lines.reduce((rest, [line, , quantity]) => rest.with(line, (rest[line] ?? 0) - quantity), left);

test("boards are the sums of sales, voids and refunds in any order, with two writers, folds and rebuilds", async () => {
  const system = await openSystem();
  const { writer } = system.database;
  const expected = new Map<string, number>();
  const reached = { runs: 0, stored: 0, refused: 0, parked: 0, ofSeries: 0 };
  const add = ({ storeId, lines }: Counted, sign: 1 | -1): void => {
    for (const [, item, quantity] of lines)
      for (const cell of cellsOf(storeId, item)) expected.set(cell, (expected.get(cell) ?? 0) + sign * quantity);
  };
  const run = async (one: Scenario): Promise<void> => {
    const { sales, sent } = eventsOf(one, ++reached.runs);
    await play(system, one, [...sales, ...sent]);
    const corrections = new Map(sent.map((each) => [each.event.id, each]));
    const ids = [...corrections.keys()];
    const stored = new Set((await purchases.store.read(writer, ids)).map(({ id }) => id));
    const letters = Map.groupBy(await findLetters(writer, ids), ({ state }) => state);
    const refused = new Set((letters.get("open") ?? []).map(({ id }) => id));
    expect(new Set(ids.filter((id) => !stored.has(id)))).toEqual(refused);
    for (const of of sales) {
      const all = [...corrections.values()].filter((each) => each.of === of);
      const [kept = [], rest = []] = [stored, refused].map((those) => all.filter(({ event }) => those.has(event.id)));
      const sold = of.lines.map(([, , quantity]) => quantity);
      const left = kept.reduce(takeFrom, sold);
      expect(Math.min(...left), "left of a line").toBeGreaterThanOrEqual(0);
      // All is stored that fits, so the order matters only where corrections exclude each other.
      for (const more of rest) expect(Math.min(...takeFrom(left, more)), "left after a refused one").toBeLessThan(0);
      add(of, 1);
      for (const each of kept) add(each, -1);
    }
    // A sale and its void leave no cell.
    const sums = cellsOfSums(await writer.query<Sum>(sumsOfRows("store_id, item, day"), [10000101, 99991231]));
    const allTime = new Map([...sums].filter(([cell]) => !cell.includes("/")));
    expect(allTime, "rows").toEqual(withoutZeros(expected));
    expect(await boards(), "boards").toEqual(sums);
    reached.ofSeries = sums.size - allTime.size;
    for (const isFull of [false, true]) expect(await system.audit(isFull)).toMatchObject({ agrees: true });
    reached.stored += stored.size;
    reached.refused += refused.size;
    reached.parked += letters.get("replayed")?.length ?? 0;
  };
  // A failed run leaves wrong counts to the next one.
  await fc.assert(fc.asyncProperty(scenario, run), { numRuns: 15, endOnFailure: true });
  const { batches: folded } = await readFold(writer, name);
  const emptied = [...expected.values()].filter((count) => count === 0).length;
  expect(Math.min(...Object.values(reached), folded, emptied)).toBeGreaterThan(5);
});
