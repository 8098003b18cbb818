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
  /** Why the reading begins again, or will. */
  readonly warn: (text: string) => void;
  /** Default: 30 s. */
  readonly everyMs?: number;
}

/** What is read. `steps`: of all removals of months so far, each of which moves rows. */
interface ReadFrom extends Record<"ledger" | "folded", BatchMarks> {
  readonly domain: string;
  readonly steps: string;
}

type Marks = ReadonlyMap<string, Buffer>;

interface State extends Pick<ReadFrom, "domain" | "steps"> {
  readonly format: typeof format;
  readonly batches: Marks;
  /** A batch that has left it and is not folded has rows that are never read. */
  readonly ledger: Marks;
  readonly sums: FoldedSums["all"];
  readonly rows: number;
  readonly place: Place | undefined;
}

// Another one when rows add other things up.
const format = "tally audit --full, 1";

/** The rows of folded batches, as checksums. They do not change, so an audit in another process, with another snapshot,
 * goes on where one was interrupted: in the tables it reads the rows of the batches that were folded when the first
 * began, and by an index those of all others. It does not see what has changed before the place meanwhile. */
export class FoldedRows {
  /** Whose rows the tables are read for. */
  readonly batches: BatchMarks;
  readonly sums: FoldedSums;
  /** Rows that were added. */
  rows: number;
  readonly place: Place | undefined;
  readonly kept: KeptReading | undefined;
  readonly #from: ReadFrom;
  #savedAt = performance.now();
  #hasStray = false;

  constructor(from: ReadFrom, kept?: KeptReading, state?: State) {
    this.#from = from;
    this.kept = kept;
    this.batches = state === undefined ? from.folded : new BatchMarks(state.batches);
    this.sums = new FoldedSums(state?.sums);
    this.rows = state?.rows ?? 0;
    this.place = state?.place;
  }

  /** Throws what `load` and `save` throw, and InvalidInput if what is kept is something else. */
  static async open(kept: KeptReading | undefined, from: ReadFrom): Promise<FoldedRows> {
    const text = await kept?.load();
    const state = text && stateIn(text, from);
    if (state?.steps === from.steps && state.place !== undefined) return new FoldedRows(from, kept, state);
    if (state !== undefined && state.steps !== from.steps)
      kept?.warn("retention has moved rows since: reads from the beginning");
    const opened = new FoldedRows(from, kept);
    // At once: what cannot be written to is found before hours of reading.
    await opened.#keep(undefined);
    return opened;
  }

  add(member: unknown, entries: Entries, series: readonly Series[]): void {
    this.rows++;
    for (const { name, by } of series) this.sums.add(name, member, entries, by);
  }

  /** Whether a row of the tables is to be added. The others may also be before the place: they are found by an index. */
  takes(producer: unknown, sequence: unknown): boolean {
    if (this.batches.has(producer, sequence)) return true;
    const { ledger, folded } = this.#from;
    const isStray = !ledger.has(producer, sequence) && !folded.has(producer, sequence);
    if (isStray && !this.#hasStray) {
      // An audit that goes on would not see it.
      this.kept?.warn("a row is of no known batch: keeps nothing from here on");
      this.#hasStray = true;
    }
    return isStray || this.place === undefined;
  }

  /** Those that were folded since the first audit began. */
  get later(): BatchMarks {
    return BatchMarks.of(unset(this.#from.folded.all(), [this.batches]));
  }

  /** All rows up to this place were added. */
  async reached(place: Place): Promise<void> {
    if (performance.now() - this.#savedAt >= (this.kept?.everyMs ?? 30_000) && !this.#hasStray) await this.#keep(place);
  }

  async #keep(place: Place | undefined): Promise<void> {
    if (this.kept === undefined) return;
    const { domain, steps } = this.#from;
    const [batches, ledger] = [this.batches, this.#from.ledger].map((marks): Marks => new Map(marks.all()));
    const state = { format, domain, steps, batches, ledger, sums: this.sums.all, rows: this.rows, place };
    await this.kept.save(serialize(state));
    this.#savedAt = performance.now();
  }
}

function stateIn(text: Buffer, { domain, folded, ledger }: ReadFrom): State {
  const state = deserialized(text);
  if (!isState(state)) {
    const expected = "a file that an interrupted audit of this release has kept, or none";
    throw new InvalidInput("--resume", expected, `${text.length} bytes of something else`);
  }
  const known = "a file with batches of this database, or none (a replica may be behind: run it again)";
  const isKnown = unset(state.batches, [folded]).next().done && unset(state.ledger, [folded, ledger]).next().done;
  if (state.domain === domain && isKnown === true) return state;
  throw new InvalidInput("--resume", known, "one with others");
}

// Only `#keep` writes this format.
function isState(state: unknown): state is State {
  return typeof state === "object" && state !== null && "format" in state && state.format === format;
}

function deserialized(text: Buffer): unknown {
  try {
    return deserialize(text);
  } catch {
    return undefined;
  }
}
