import type { NewGeneration } from "@tally/rankings";

// About 40 MB.
const cellsHeldMax = 500_000;

/** Adds cells with key and member exchanged, for the boards that are the transpose of others. */
export class Mirror {
  readonly #generation: Pick<NewGeneration, "add">;
  readonly #boardOf: (key: string) => string;
  #boards = new Map<string, (readonly [member: string, count: number])[]>();
  #cells = 0;

  constructor(generation: Pick<NewGeneration, "add">, boardOf: (key: string) => string) {
    this.#generation = generation;
    this.#boardOf = boardOf;
  }

  /** Takes the cells of one key. Buffers up to 500,000 cells, so that those of one board are sent together. */
  async add(key: string, cells: readonly (readonly [member: string, count: number])[]): Promise<void> {
    for (const [member, count] of cells) {
      const own = this.#boards.get(member);
      if (own === undefined) this.#boards.set(member, [[key, count]]);
      else own.push([key, count]);
    }
    this.#cells += cells.length;
    if (this.#cells >= cellsHeldMax) await this.flush();
  }

  async flush(): Promise<void> {
    const boards = this.#boards;
    this.#boards = new Map();
    this.#cells = 0;
    for (const [key, cells] of boards) await this.#generation.add(this.#boardOf(key), cells);
  }
}
