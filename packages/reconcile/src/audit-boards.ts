import { setTimeout as delay } from "node:timers/promises";
import type { Domain, SqlSnapshot } from "@tally/contract";
import type { BoardCells, Rankings } from "@tally/redis";
import type { Sums } from "./add-up.ts";
import { CellsHash, Findings, type Found } from "./findings.ts";
import type { Meanwhile } from "./meanwhile.ts";
import type { RecountedBoard } from "./cell-counts.ts";
import { boardsOf } from "./recount.ts";

/** Compares every cell that a board keeps with the sum of its rows, in both directions. */
export interface BoardAudit {
  readonly boards: number;
  readonly cells: number;
  /** Sum of all cells of the rows. */
  readonly units: number;
  /** 16 hexadecimal digits, equal for the same cells in any order. A checksum, not cryptographic. */
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
// How long a difference must stay while its cell is not moved: a read beside moves is not one moment. A cell may be moved
// at every look, so there are more looks.
const pausesMs = [0, 20, 100, 500];
const looksMax = 200;

type Cell = RecountedBoard["cells"][number];

/** `meanwhile`: for an audit beside live traffic, begun after the marks were read. */
export async function auditBoards(
  snapshot: SqlSnapshot,
  domain: Domain,
  rankings: Rankings,
  { sums, meanwhile }: { readonly sums: Sums; readonly meanwhile: Meanwhile | undefined },
  onProgress: (cells: number) => void,
): Promise<BoardAudit> {
  const differences = new Findings<CellDifference>();
  const known = new Set<string>();
  const hash = new CellsHash();
  let [cells, units, missing, surplus] = [0, 0, 0, 0];

  function differ(one: CellDifference): void {
    missing += Math.max(0, one.rows - one.ranked);
    surplus += Math.max(0, one.ranked - one.rows);
    differences.add(one);
  }

  async function compare(boards: readonly RecountedBoard[]): Promise<void> {
    await meanwhile?.look();
    const ranked = await rankings.cells(domain.name, boards);
    const moved = await meanwhile?.look();
    const again = new Map<string, Map<string, number>>();
    for (const [index, { board, cells: own }] of boards.entries()) {
      known.add(board);
      for (const [member, count] of own) {
        units += count;
        hash.add(`${board}\0${member}\0${count}`);
      }
      cells += own.length;
      const found = differencesOf(board, withMoves(own, meanwhile?.of(board)), ranked[index] ?? none);
      if (meanwhile === undefined) found.forEach(differ);
      else again.set(board, rowsOf(own, [...found.map(({ member }) => member), ...(moved?.get(board)?.keys() ?? [])]));
    }
    if (meanwhile !== undefined)
      for await (const one of compareAgain(domain.name, rankings, meanwhile, again)) differ(one);
    onProgress(cells);
  }

  async function compareAll(boards: AsyncIterable<RecountedBoard> | Iterable<RecountedBoard>): Promise<void> {
    let waiting: RecountedBoard[] = [];
    let size = 0;
    for await (const board of boards) {
      waiting.push(board);
      size += board.cells.length;
      if (size < cellsAtOnce) continue;
      await compare(waiting);
      waiting = [];
      size = 0;
    }
    await compare(waiting);
  }

  for (const kind of domain.recount.boards) await compareAll(boardsOf(snapshot, kind, sums.cells));
  const withoutRows = (names: readonly string[]): readonly RecountedBoard[] =>
    names.filter((board) => !known.has(board)).map((board) => ({ board, cells: [] }));
  for await (const names of rankings.boards(domain.name)) await compare(withoutRows(names));
  await compare(withoutRows(meanwhile?.boards() ?? []));
  return { boards: known.size, cells, units, hash: hash.text, missing, surplus, differences };
}

type BoardRows = Map<string, number>;

/** Reads cells alone until they are equal, and yields those that differ while they are not moved. `again`: board →
 * member → count in the snapshot. */
async function* compareAgain(
  domain: string,
  rankings: Rankings,
  meanwhile: Meanwhile,
  again: ReadonlyMap<string, BoardRows>,
): AsyncGenerator<CellDifference> {
  const timesAtRest = new Map<string, number>();
  let left = [...again];
  for (let look = 1; (left = left.filter(([, own]) => own.size > 0)).length > 0; look++) {
    await meanwhile.look();
    const ranked = await rankings.cells(
      domain,
      left.map(([board, own]) => ({ board, members: [...own.keys()] })),
    );
    const moved = await meanwhile.look();
    for (const [index, [board, own]] of left.entries()) {
      const since = meanwhile.of(board);
      const now = Array.from(own, ([member, rows]): Cell => [member, rows + (since?.get(member) ?? 0)]);
      const found = Map.groupBy(differencesOf(board, now, ranked[index] ?? none), ({ member }) => member);
      for (const member of own.keys()) {
        if (moved.get(board)?.has(member) === true && look < looksMax) continue;
        const [name, [one] = []] = [`${board}\0${member}`, found.get(member)];
        const times = (timesAtRest.get(name) ?? 0) + 1;
        timesAtRest.set(name, times);
        if (one !== undefined && times < pausesMs.length && look < looksMax) continue;
        if (one !== undefined) yield one;
        own.delete(member);
      }
    }
    await delay(pausesMs[look] ?? pausesMs.at(-1));
  }
}

const none: BoardCells = { cells: new Map(), alsoStored: new Map(), keeps: () => true };

/** The cells of a board with what was added since the snapshot. */
function withMoves(cells: readonly Cell[], since: ReadonlyMap<string, number> | undefined): readonly Cell[] {
  if (since === undefined) return cells;
  const all = new Map(cells);
  for (const [member, by] of since) all.set(member, (all.get(member) ?? 0) + by);
  return [...all].filter(([, count]) => count !== 0);
}

function rowsOf(cells: readonly Cell[], members: readonly string[]): BoardRows {
  if (members.length === 0) return new Map();
  const rows = new Map(cells);
  return new Map(members.map((member) => [member, rows.get(member) ?? 0]));
}

/** The members whose counts on the board are not those of the rows. */
function differencesOf(board: string, cells: readonly Cell[], on: BoardCells): readonly CellDifference[] {
  const differences: CellDifference[] = [];
  const compare = (member: string, rows: number, ranked: number): void => {
    if (rows !== ranked) differences.push({ board, member, rows, ranked });
  };
  let found = 0;
  for (const [member, rows] of cells) {
    const stored = on.alsoStored.get(member);
    if (stored !== undefined) found++;
    compare(member, rows, stored ?? rows);
    const kept = on.cells.get(member);
    if (kept !== undefined) found++;
    else if (!on.keeps(member, rows)) continue;
    compare(member, rows, kept ?? 0);
  }
  if (found === on.cells.size + on.alsoStored.size) return differences;
  const members = new Set(cells.map(([member]) => member));
  for (const [member, count] of [...on.cells, ...on.alsoStored]) if (!members.has(member)) compare(member, 0, count);
  return differences;
}
