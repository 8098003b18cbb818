import { setImmediate as immediate, setTimeout as delay } from "node:timers/promises";
import { boardsOfSeries, chainBoards, isKeptBoard, seriesOfBoard, sumOfCounts } from "@tally/contract";
import type { Domain, KeptSeries, SqlSnapshot } from "@tally/contract";
import { idOf, type Board, type BoardCells, type Id, type Rankings } from "@tally/redis";
import type { Sums } from "./add-up.ts";
import { CellsHash, Findings, type Found } from "./findings.ts";
import type { Meanwhile } from "./meanwhile.ts";

/** Compares every cell that a board keeps with the sum of its rows, in both directions. */
export interface BoardAudit {
  readonly boards: number;
  readonly cells: number;
  /** Sum of all cells of the rows, of all time and the first measure. */
  readonly units: number;
  /** 16 hexadecimal digits, equal for the same of these cells in any order. A checksum, not cryptographic. */
  readonly hash: string;
  /** Units in the rows that boards lack, and units on boards that rows lack. */
  readonly missing: number;
  readonly surplus: number;
  readonly differences: Found<CellDifference>;
}

interface CellDifference {
  readonly board: string;
  readonly member: string;
  /** 0: absent. */
  readonly rows: number;
  readonly ranked: number;
}

// Compared at once: one round trip carries many small boards.
const cellsAtOnce = 20_000;
// Cells that are made in one turn of the event loop, about 0.3 ms. Between turns, the driver sends calls and reads
// replies of the comparison that is under way.
const cellsPerTurn = 1000;
// Beside traffic, cells that differ or move while they are read are read again later, alone. Those that differ still have
// more time at the end: a batch may be ranked in one shard only, or be ranked again after Redis has lost its last second.
const againAtOnce = 10_000;
const movingMs = 200;
const suspectsMax = 100_000;

type Cell = Board["cells"][number];
type Counts = Map<Id, number>;
type Difference = Omit<CellDifference, "member"> & { readonly member: Id };

interface BoardRows {
  readonly sums: Sums;
  /** Boards of other series are not compared. */
  readonly kept: KeptSeries;
  readonly meanwhile: Meanwhile | undefined;
}

/** `meanwhile`: for an audit beside live traffic, begun after the marks were read. */
export async function auditBoards(
  snapshot: SqlSnapshot,
  domain: Domain,
  rankings: Rankings,
  { sums, kept, meanwhile }: BoardRows,
  { onFolded, onCells }: Readonly<Record<"onFolded" | "onCells", (done: number) => void>>,
): Promise<BoardAudit> {
  const differences = new Findings<CellDifference>();
  const known = new Set<string>();
  const suspects = new Map<string, Counts>();
  const hash = new CellsHash();
  let [cells, units, missing, surplus, suspected, againFrom] = [0, 0, 0, 0, 0, againAtOnce];

  function differ(one: Difference): void {
    missing += Math.max(0, one.rows - one.ranked);
    surplus += Math.max(0, one.ranked - one.rows);
    differences.add({ ...one, member: String(one.member) });
  }

  async function compare(boards: readonly Board[]): Promise<void> {
    if (boards.length === 0) return;
    const expected = boards.map(({ board, cells: own }) => ({
      board,
      cells: withMoves(own, meanwhile?.moves.sums(board)),
    }));
    const differing = await differencesIn(domain.name, rankings, expected);
    const seenFrom = await meanwhile?.look();
    for (const one of boards) {
      const { board, cells: own } = one;
      known.add(board);
      // Days depend on the date of the run.
      if (seriesOfBoard(board) === "") {
        units += own.reduce((sum, [, count]) => sum + count, 0);
        hash.add(one);
      }
      cells += own.length;
      const found = differing.get(board) ?? [];
      const moved = meanwhile?.moves.sums(board, seenFrom).keys() ?? [];
      const members: readonly Id[] = [...found.map(({ member }) => member), ...moved];
      if (meanwhile === undefined || suspected > suspectsMax) found.forEach(differ);
      else if (members.length > 0) suspects.set(board, rowsOf(own, members));
      suspected += suspects.get(board)?.size ?? 0;
    }
    if (meanwhile !== undefined && suspected > againFrom) {
      await compareAgain(domain.name, rankings, meanwhile, suspects, movingMs);
      suspected = Array.from(suspects.values(), ({ size }) => size).reduce(sumOfCounts, 0);
      againFrom = suspected + againAtOnce;
    }
    onCells(cells);
  }

  await meanwhile?.look();
  await compareAll(boardsOf(snapshot, domain, { sums, kept }, onFolded), compare);
  const withoutRows = (names: readonly string[]): readonly Board[] =>
    [...new Set(names)]
      .filter((board) => !known.has(board) && isKeptBoard(board, kept))
      .map((board) => ({ board, cells: [] }));
  for await (const names of rankings.boards(domain.name)) await compare(withoutRows(names));
  if (meanwhile !== undefined) {
    await compare(withoutRows([...meanwhile.moves.boards()]));
    for (const one of await compareAgain(domain.name, rankings, meanwhile, suspects, meanwhile.staysMs)) differ(one);
  }
  return { boards: known.size, cells, units, hash: hash.text, missing, surplus, differences };
}

/** Takes the next boards while some are compared. */
async function compareAll(boards: AsyncIterable<Board>, compare: (some: readonly Board[]) => Promise<void>) {
  let [waiting, size, turnAt, comparing]: [Board[], number, number, Promise<void>] = [[], 0, 0, Promise.resolve()];
  for await (const board of boards) {
    waiting.push(board);
    size += board.cells.length;
    if (size >= cellsAtOnce) {
      await comparing;
      comparing = compare(waiting);
      comparing.catch(() => undefined); // It is awaited later.
      [waiting, size, turnAt] = [[], 0, 0];
    }
    if (size < turnAt) continue;
    turnAt = size + cellsPerTurn;
    await immediate();
  }
  await comparing;
  await compare(waiting);
}

/** All boards with at least one cell; of mirrored boards, for each series, those of members first, each kind with its
 * board of the chain. */
async function* boardsOf(
  snapshot: SqlSnapshot,
  { name, recount }: Domain,
  { sums, kept }: Pick<BoardRows, "sums" | "kept">,
  onFolded: (members: number) => void,
): AsyncGenerator<Board> {
  yield* sums.boards.all();
  for (const kind of recount.boards) {
    if (!("mirrored" in kind)) continue;
    for await (const [series, cells] of sums.series.withFolded(snapshot, name, onFolded)) {
      const boards = boardsOfSeries(kind.mirrored, series);
      const { prefix, mirrorPrefix } = boards;
      const chain = kept.chain === true ? chainBoards(boards) : undefined;
      yield* withSums(cells.byMember(mirrorPrefix), mirrorPrefix, chain?.members);
      yield* withSums(cells.byKey(prefix), prefix, chain?.keys);
    }
  }
}

function* withSums(boards: Iterable<Board>, prefix: string, chain: string | undefined) {
  const sums: (readonly [number, number])[] = [];
  for (const one of boards) {
    yield one;
    const sum = one.cells.reduce((all, [, count]) => sumOfCounts(all, count), 0);
    if (sum !== 0) sums.push([Number(one.board.slice(prefix.length)), sum]);
  }
  if (chain !== undefined) yield { board: chain, cells: sums };
}

/** By board. */
async function differencesIn(
  domain: string,
  rankings: Rankings,
  boards: readonly Board[],
): Promise<ReadonlyMap<string, readonly Difference[]>> {
  const equal = await rankings.equal(domain, boards);
  const others = boards.filter(({ board }) => !equal.has(board));
  const ranked = await rankings.cells(domain, others);
  return new Map(others.map(({ board, cells }, index) => [board, differencesOf(board, cells, ranked[index] ?? none)]));
}

/** Reads cells alone until they are equal while they do not move, or the time is over. Returns the differences that are
 * left then, without those of moving cells that their moves explain. `again`: board → member → count in the snapshot;
 * what is equal is removed. */
async function compareAgain(
  domain: string,
  rankings: Rankings,
  meanwhile: Meanwhile,
  again: Map<string, Counts>,
  withinMs: number,
): Promise<readonly Difference[]> {
  const deadline = performance.now() + withinMs;
  for (let pauseMs = 5; again.size > 0; pauseMs = Math.min(1000, pauseMs * 2)) {
    await meanwhile.look();
    const left = [...again];
    const ranked = await rankings.cells(
      domain,
      left.map(([board, own]) => ({ board, members: [...own.keys()] })),
    );
    const seenFrom = await meanwhile.look();
    const differences: Difference[] = [];
    for (const [index, [board, own]] of left.entries()) {
      const since = meanwhile.moves.sums(board);
      const moved = meanwhile.moves.sums(board, seenFrom, Math.abs);
      const now = Array.from(own, ([member, rows]): Cell => [member, sumOfCounts(rows, since.get(member))]);
      const found = Map.groupBy(differencesOf(board, now, ranked[index] ?? none), ({ member }) => member);
      for (const member of own.keys()) {
        const by = moved.get(member);
        const [one] = found.get(member) ?? [];
        const isMoving = by !== undefined && one !== undefined && Math.abs(one.rows - one.ranked) <= by;
        if (one !== undefined && !isMoving) differences.push(one);
        if (one === undefined && by === undefined) own.delete(member);
      }
      if (own.size === 0) again.delete(board);
    }
    if (performance.now() >= deadline) return differences;
    if (again.size > 0) await delay(pauseMs);
  }
  return [];
}

const none: BoardCells = { cells: new Map(), alsoStored: new Map(), keeps: () => true };

/** The cells of a board with what was added since the snapshot. Most cells have not moved. */
function withMoves(cells: readonly Cell[], since: ReadonlyMap<Id, number> = new Map()): readonly Cell[] {
  if (since.size === 0) return cells;
  const others = new Map(since);
  const now: Cell[] = [];
  for (const cell of cells) {
    const by = since.get(cell[0]);
    if (by === undefined) now.push(cell);
    else if (others.delete(cell[0]) && cell[1] + by !== 0) now.push([cell[0], sumOfCounts(cell[1], by)]);
  }
  for (const cell of others) if (cell[1] !== 0) now.push(cell);
  return now;
}

function rowsOf(cells: readonly Cell[], members: readonly Id[]): Counts {
  const rows = new Map(members.map((member) => [member, 0]));
  for (const [member, count] of cells) if (rows.has(member)) rows.set(member, count);
  return rows;
}

/** The members whose counts on the board are not those of the rows. */
function differencesOf(board: string, cells: readonly Cell[], on: BoardCells): readonly Difference[] {
  const differences: Difference[] = [];
  const compare = (member: Id, rows: number, ranked: number, isOnBoard = false): void => {
    // A count of 0 is on no board.
    if (rows !== ranked || (isOnBoard && ranked === 0)) differences.push({ board, member, rows, ranked });
  };
  let found = 0;
  for (const [member, rows] of cells) {
    const stored = on.alsoStored.size === 0 ? undefined : on.alsoStored.get(String(member));
    if (stored !== undefined) {
      found++;
      compare(member, rows, stored);
    }
    // Most counts of an audit end here.
    if (!on.keeps(member, rows)) continue;
    const kept = on.cells.get(String(member));
    if (kept !== undefined) found++;
    compare(member, rows, kept ?? 0, kept !== undefined);
  }
  if (found === on.cells.size + on.alsoStored.size) return differences;
  const own = new Map<string, Cell>();
  for (const cell of cells) {
    const name = String(cell[0]);
    if (on.cells.has(name) || on.alsoStored.has(name)) own.set(name, cell);
  }
  for (const stored of [on.cells, on.alsoStored])
    for (const [name, count] of stored) {
      const [member, rows] = own.get(name) ?? [idOf(name), 0];
      const isFound = own.has(name) && (stored === on.alsoStored || on.keeps(member, rows));
      if (!isFound) compare(member, rows, count, stored === on.cells);
    }
  return differences;
}
