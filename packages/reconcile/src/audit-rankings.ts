import { selectBatches, selectFoldedCounts, type Fold, type LedgerTotals } from "@tally/database";
import { textOfBatchId, type Domain, type Recount, type SqlSnapshot } from "@tally/contract";
import type { Rankings } from "@tally/redis";
import type { Batches, RowsToRead, Sums } from "./add-up.ts";
import type { BatchCounts } from "./batch-counts.ts";
import type { CellCounts } from "./cell-counts.ts";
import { boardsOf, countUnset, isMarked, type RecountedBoard } from "./recount.ts";
import { crc32 } from "node:zlib";

/** Compares the ledger with the rows and with the marks, batch by batch. */
export interface BatchAudit {
  /** Rows that were read, without those of folded batches, and changes of folded batches. */
  readonly stored: number;
  /** Changes of batches that are marked on every shard. */
  readonly ranked: number;
  /** Batches whose number of rows differs from their ledger entry. */
  readonly miscounted: Found<Miscounted>;
  /** Batches of the ledger without a mark. */
  readonly unmarked: Found<string>;
  /** Marks without a batch that is in the ledger or folded: the database has lost ranked batches. */
  readonly strayMarks: number;
  /** Folded batches without a mark on a shard. */
  readonly unmarkedFolded: number;
}

interface Miscounted {
  readonly batch: string;
  readonly ledger: number;
  readonly rows: number;
}

interface ToAudit extends Batches {
  /** Those of mirrored boards. The others are added. */
  readonly rows: BatchCounts;
  readonly wereRead: RowsToRead;
  readonly all: LedgerTotals;
  readonly fold: Fold;
}

export async function auditBatches(
  snapshot: SqlSnapshot,
  domain: Domain,
  rankings: Rankings,
  { rows, wereRead, all, fold, ledger, folded }: ToAudit,
  onProgress: (batches: number) => void,
): Promise<BatchAudit> {
  const shards = await rankings.marks(domain.name);
  const miscounted = new Findings<Miscounted>();
  const unmarked = new Findings<string>();
  let [stored, ranked, seen] = [fold.changes, fold.changes, 0];
  const areAllRead = wereRead === "all" || !domain.recount.boards.some((kind) => "mirrored" in kind);
  // Rows of new batches may be in the base, where an earlier release has put them.
  if (areAllRead || rows.rows !== all.changes - fold.changes) await addRowsOfBatches(snapshot, domain.recount, rows);
  for await (const batches of snapshot.stream(selectBatches, [domain.name])) {
    for (const [producer, sequence, , changes] of batches) {
      const id = batchOf(producer, sequence);
      const own = rows.take(producer, sequence);
      stored += own;
      if (own !== Number(changes)) miscounted.add({ batch: textOfBatchId(id), ledger: Number(changes), rows: own });
      if (shards.every((marks) => isMarked(marks.get(id.producer), id.sequence))) ranked += Number(changes);
      else unmarked.add(textOfBatchId(id));
    }
    onProgress((seen += batches.length));
  }
  let rowsOfFolded = 0;
  for (const [producer, sequence, own] of rows.rest()) {
    if (folded.has(Buffer.from(producer, "hex"), sequence)) {
      rowsOfFolded += own;
      continue;
    }
    stored += own;
    miscounted.add({ batch: textOfBatchId({ producer, sequence }), ledger: 0, rows: own });
  }
  if (areAllRead && rowsOfFolded !== fold.changes)
    miscounted.add({ batch: "of all that are folded", ledger: fold.changes, rows: rowsOfFolded });
  const strayMarks = shards.reduce((sum, marks) => sum + countUnset(marks, [ledger, folded]), 0);
  const unmarkedFolded = shards.reduce((sum, marks) => sum + countUnset(folded.all(), [marks]), 0);
  return { stored, ranked, miscounted, unmarked, strayMarks, unmarkedFolded };
}

/** Adds the rows of batches that are not read one by one. */
export async function addRowsOfBatches(
  snapshot: SqlSnapshot,
  { rowsOfBatches }: Pick<Recount, "rowsOfBatches">,
  rows: BatchCounts,
): Promise<void> {
  if (rowsOfBatches === undefined) return;
  for await (const counts of snapshot.stream(rowsOfBatches))
    for (const [producer, sequence, count] of counts) rows.add(producer, sequence, Number(count));
}

/** Compares the folded counts with the rows of the folded batches. */
export async function auditFolded(
  snapshot: SqlSnapshot,
  domain: string,
  foldedRows: CellCounts,
  found: Findings<string>,
): Promise<void> {
  const hashes = new Map<string, CellsHash>();
  const hashOf = (member: string): CellsHash => {
    const hash = hashes.get(member) ?? new CellsHash();
    hashes.set(member, hash);
    return hash;
  };
  for await (const rows of snapshot.stream(selectFoldedCounts, [domain])) {
    for (const [member, texts] of rows) {
      const counts: unknown = JSON.parse(String(texts));
      if (Array.isArray(counts)) for (const count of counts) hashOf(String(member)).add(String(count));
    }
  }
  const expected = new Map(
    Array.from(foldedRows.byMember(""), ({ board, cells }) => {
      const hash = new CellsHash();
      for (const cell of cells) hash.add(String(cell));
      return [board, hash.text];
    }),
  );
  for (const member of new Set([...hashes.keys(), ...expected.keys()]))
    if (hashes.get(member)?.text !== expected.get(member))
      found.add(`the folded counts of ${member} differ from its rows`);
}

function batchOf(producer: unknown, sequence: unknown) {
  return { producer: Buffer.isBuffer(producer) ? producer.toString("hex") : "", sequence: Number(sequence) };
}

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

const none: ReadonlyMap<string, number> = new Map();

// Compared at once: one round trip carries many small boards.
const cellsAtOnce = 20_000;

export async function auditBoards(
  snapshot: SqlSnapshot,
  domain: Domain,
  rankings: Rankings,
  sums: Sums,
  onProgress: (cells: number) => void,
): Promise<BoardAudit> {
  const differences = new Findings<CellDifference>();
  const known = new Set<string>();
  const hash = new CellsHash();
  let [cells, units, missing, surplus] = [0, 0, 0, 0];

  function differ(board: string, member: string, rows: number, ranked: number): void {
    if (rows === ranked) return;
    if (rows > ranked) missing += rows - ranked;
    else surplus += ranked - rows;
    differences.add({ board, member, rows, ranked });
  }

  async function compare(boards: readonly RecountedBoard[]): Promise<void> {
    const names = boards.map(({ board }) => board);
    const ranked = await rankings.cells(domain.name, names);
    for (const [index, { board, cells: own }] of boards.entries()) {
      known.add(board);
      const onBoard = ranked[index]?.cells ?? none;
      const alsoStored = ranked[index]?.alsoStored ?? none;
      let found = 0;
      for (const [member, count] of own) {
        units += count;
        hash.add(`${board}\0${member}\0${count}`);
        const stored = alsoStored.get(member);
        if (stored !== undefined) found++;
        differ(board, member, count, stored ?? count);
        const kept = onBoard.get(member);
        if (kept !== undefined) found++;
        else if (ranked[index]?.keeps(member, count) === false) continue;
        differ(board, member, count, kept ?? 0);
      }
      if (found < onBoard.size + alsoStored.size) {
        const members = new Set(own.map(([member]) => member));
        for (const [member, count] of [...onBoard, ...alsoStored])
          if (!members.has(member)) differ(board, member, 0, count);
      }
      cells += own.length;
    }
    onProgress(cells);
  }

  for (const kind of domain.recount.boards) {
    let waiting: RecountedBoard[] = [];
    let size = 0;
    for await (const board of boardsOf(snapshot, kind, sums)) {
      waiting.push(board);
      size += board.cells.length;
      if (size < cellsAtOnce) continue;
      await compare(waiting);
      waiting = [];
      size = 0;
    }
    await compare(waiting);
  }
  for await (const boards of rankings.boards(domain.name)) {
    const extra = boards.filter((board) => !known.has(board));
    await compare(extra.map((board) => ({ board, cells: [] })));
  }
  return { boards: known.size, cells, units, hash: hash.text, missing, surplus, differences };
}

/** Adds two checksums of each cell: their order does not matter. */
class CellsHash {
  #first = 0;
  #second = 0;

  add(cell: string): void {
    const sum = crc32(cell);
    this.#first = (this.#first + sum) >>> 0;
    this.#second = (this.#second + Math.imul(crc32(cell, sum), 0x9e3779b1)) >>> 0;
  }

  get text(): string {
    return [this.#first, this.#second].map((half) => half.toString(16).padStart(8, "0")).join("");
  }
}

const shownMax = 10;

/** The number of findings and the first ten. */
export interface Found<T> {
  readonly count: number;
  readonly first: readonly T[];
}

export class Findings<T> implements Found<T> {
  count = 0;
  readonly first: T[] = [];

  add(one: T): void {
    if (++this.count <= shownMax) this.first.push(one);
  }
}
