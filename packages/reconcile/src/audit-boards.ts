import { crc32 } from "node:zlib";
import type { Domain, RecountedBoards, SqlSnapshot } from "@tally/contract";
import type { Rankings } from "@tally/redis";
import { Findings, type Found } from "./findings.ts";
import { recountedBoards, type RecountedBoard } from "./recounted-boards.ts";

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

export async function auditBoards(
  snapshot: SqlSnapshot,
  domain: Domain,
  rankings: Rankings,
  onProgress: (cells: number) => void,
): Promise<BoardAudit> {
  const differences = new Findings<CellDifference>();
  const known = new Set<string>();
  let cells = 0;
  let units = 0;
  const hash = new CellsHash();
  let missing = 0;
  let surplus = 0;

  function differ(board: string, member: string, rows: number, ranked: number): void {
    if (rows === ranked) return;
    if (rows > ranked) missing += rows - ranked;
    else surplus += ranked - rows;
    differences.add({ board, member, rows, ranked });
  }

  async function compare(boards: readonly Pick<RecountedBoard, "board" | "cells">[]): Promise<void> {
    const ranked = await rankings.cells(
      domain.name,
      boards.map(({ board }) => board),
    );
    for (const [index, { board, cells: own }] of boards.entries()) {
      known.add(board);
      const onBoard = new Map(ranked[index]?.cells);
      const alsoStored = new Map(ranked[index]?.alsoStored);
      for (const [member, count] of own) {
        units += count;
        differ(board, member, count, alsoStored.get(member) ?? count);
        alsoStored.delete(member);
        hash.add(`${board}\0${member}\0${count}`);
        const isKept = onBoard.has(member) || ranked[index]?.keeps(member, count) !== false;
        if (isKept) differ(board, member, count, onBoard.get(member) ?? 0);
        onBoard.delete(member);
      }
      for (const [member, count] of [...onBoard, ...alsoStored]) differ(board, member, 0, count);
      cells += own.length;
    }
    onProgress(cells);
  }

  const kinds = domain.recount.boards.flatMap((kind): readonly RecountedBoards[] => {
    if (!("mirrored" in kind)) return [kind];
    const { prefix, mirrorPrefix } = kind.mirrored;
    return [
      { cells: kind.mirrorCells, board: (member) => mirrorPrefix + member },
      { cells: kind.cells, board: (key) => prefix + key },
    ];
  });
  for (const kind of kinds) {
    let waiting: RecountedBoard[] = [];
    let size = 0;
    for await (const board of recountedBoards(snapshot, kind)) {
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

/** Sums two checksums of each cell, so that their order does not matter. */
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
