import { crc32 } from "node:zlib";
import type { Board } from "@tally/redis";
import { hashOf } from "./cell-counts.ts";

/** Adds two checksums of each cell: their order does not matter. */
export class CellsHash {
  #first = 0;
  #second = 0;

  add({ board, cells }: Board): void {
    const ofBoard = crc32(board);
    for (const [member, count] of cells) {
      const id = Number(member);
      const ofPlace = hashOf((ofBoard ^ (Number.isNaN(id) ? crc32(String(member)) : hashOf(id))) >>> 0);
      const ofCell = hashOf(ofPlace + count);
      this.#first = (this.#first + ofCell) >>> 0;
      this.#second = (this.#second + Math.imul(ofCell ^ ofPlace, 0x9e3779b1)) >>> 0;
    }
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
