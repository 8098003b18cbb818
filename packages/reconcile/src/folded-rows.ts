import { deserialize, serialize } from "node:v8";
import { InvalidInput, type Series } from "@tally/contract";
import { BatchMarks, unset } from "./batch-marks.ts";
import type { Entries } from "./cell-counts.ts";
import { FoldedSums } from "./folded-sums.ts";
import type { Place } from "./read-tables.ts";

/** Keeps how far a full audit has read, outside its process. */
export interface KeptReading {
  /** Undefined: nothing is kept. */
  readonly load: () => Promise<Buffer | undefined>;
  readonly save: (state: Buffer) => Promise<void>;
  /** What is kept cannot be used: the reading begins again. */
  readonly onOther: () => void;
  /** Default: 30 s. */
  readonly everyMs?: number;
}

/** What the rows belong to. `steps`: of all removals of months so far, each of which moves rows. */
interface ReadFrom {
  readonly domain: string;
  readonly folded: BatchMarks;
  readonly steps: string;
}

interface State {
  readonly format: typeof format;
  readonly domain: string;
  readonly steps: string;
  readonly batches: ReadonlyMap<string, Buffer>;
  readonly sums: ReadonlyMap<string, ReadonlyMap<string, readonly [number, number]>>;
  readonly rows: number;
  readonly place: Place | undefined;
}

// Another one when rows add other things up.
const format = "tally audit --full, 1";

/** The rows of folded batches, as checksums. They do not change, so an audit in another process, with another snapshot,
 * goes on where one was interrupted: in the tables it reads the rows of the batches that were folded when the first
 * began, and by an index those of all others. */
export class FoldedRows {
  readonly batches: BatchMarks;
  readonly sums: FoldedSums;
  /** Rows that were added. */
  rows: number;
  readonly place: Place | undefined;
  readonly isKept: boolean;
  /** Rows of a batch that is neither folded nor in the ledger. From the first on nothing is kept: an audit that goes on
   * would not see it. */
  hasStray = false;
  readonly #save: (state: Pick<State, "rows" | "sums" | "place">) => Promise<void>;
  readonly #everyMs: number;
  #savedAt = performance.now();

  constructor(folded: BatchMarks, kept?: KeptReading, { domain, steps } = { domain: "", steps: "" }, state?: State) {
    this.batches = state === undefined ? folded : new BatchMarks(state.batches);
    this.sums = new FoldedSums(state?.sums);
    this.rows = state?.rows ?? 0;
    this.place = state?.place;
    this.isKept = kept !== undefined;
    this.#everyMs = kept?.everyMs ?? 30_000;
    this.#save = async (read) => {
      const batches = new Map(this.batches.all());
      await kept?.save(serialize({ format, domain, steps, batches, ...read } satisfies State));
    };
  }

  /** Throws what `load` and `save` throw, and InvalidInput if what is kept is something else. */
  static async open(kept: KeptReading | undefined, from: ReadFrom): Promise<FoldedRows> {
    const text = await kept?.load();
    const state = text && stateIn(text);
    const isSame =
      state?.domain === from.domain &&
      state.steps === from.steps &&
      unset(state.batches, [from.folded]).next().done === true;
    if (state !== undefined && !isSame) kept?.onOther();
    if (isSame && state.place !== undefined) return new FoldedRows(from.folded, kept, from, state);
    const opened = new FoldedRows(from.folded, kept, from);
    // At once: what cannot be written to is found before hours of reading.
    await opened.#keep(undefined);
    return opened;
  }

  add(member: unknown, entries: Entries, series: readonly Series[]): void {
    this.rows++;
    for (const { name, by } of series) this.sums.add(name, member, entries, by);
  }

  /** All rows before this place were added. */
  async reached(place: Place): Promise<void> {
    if (performance.now() - this.#savedAt >= this.#everyMs && !this.hasStray) await this.#keep(place);
  }

  async #keep(place: Place | undefined): Promise<void> {
    await this.#save({ rows: this.rows, sums: this.sums.all, place });
    this.#savedAt = performance.now();
  }
}

function stateIn(text: Buffer): State {
  try {
    const state: unknown = deserialize(text);
    if (isState(state)) return state;
  } catch {
    // As another format.
  }
  const expected = "a file that an interrupted audit of this release has kept, or none";
  throw new InvalidInput("--resume", expected, `${text.length} bytes of something else`);
}

// Only `#keep` writes this format.
function isState(state: unknown): state is State {
  return typeof state === "object" && state !== null && "format" in state && state.format === format;
}
