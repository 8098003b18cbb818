import { FoldedMeanwhile, listBatches, placeAt, readEpochs, readFold } from "@tally/database";
import { readRankingMessages } from "@tally/database";
import { decodeRankingMessage, chainBoards, isKeptBoard, textOfBatchId } from "@tally/contract";
import type { BatchId, KeptSeries, SqlReader } from "@tally/contract";
import { movesOf, type Rankings } from "@tally/redis";
import type { Batches } from "./add-up.ts";
import { BatchMarks } from "./batch-marks.ts";

/*
 * Compares boards with a snapshot of the rows while events are stored and ranked. A board shows the rows of all batches
 * that are marked, so it differs from the snapshot by the moves of the batches that were ranked since, which are in
 * their ranking messages in the ledger. Which ones a read of Redis has seen is known but for those that were ranked
 * during the read: they are in the ledger afterwards, and their cells are read again, alone.
 */

/** Counts by board and member. */
export type Cells = Map<string, Map<string, number>>;

export interface MeanwhileOptions {
  readonly domain: string;
  /** The write endpoint: the read endpoint may lack what is ranked. */
  readonly writer: SqlReader;
  /** How long a difference must stay to be one. */
  readonly staysMs: number;
  readonly rankings: Pick<Rankings, "unmarked">;
  /** The batches of the snapshot; it has all of epochs up to `closedTo`. */
  readonly known: Batches;
  readonly closedTo: number;
  readonly kept: KeptSeries;
}

const pageSize = 1000;

/** What has moved on the boards since a snapshot. Memory: about 40 bytes for each cell that moves. */
export class Meanwhile {
  readonly #options: MeanwhileOptions;
  /** The first epoch whose batches may be new. */
  #from: number;
  readonly #forgotten = new Set<string>();
  readonly #listed = new BatchMarks();
  /** Without a mark at the last look, by textOfBatchId. */
  readonly #waiting = new Map<string, BatchId>();
  readonly #names = new Map<string, string>();
  readonly staysMs: number;
  /** What has been added to cells since the snapshot. */
  readonly since: Cells = new Map();

  constructor(options: MeanwhileOptions) {
    this.#options = options;
    this.staysMs = options.staysMs;
    this.#from = options.closedTo + 1;
  }

  /** Learns what was ranked since the last look, and adds its moves to `moved`, without their signs: a read may have seen
   * some of them. Throws FoldedMeanwhile if a batch that the snapshot may lack was folded: the ledger has it no
   * more. */
  async look(moved?: Cells): Promise<void> {
    const { rankings, domain } = this.#options;
    // Before the marks: what a read has seen until now is in the ledger.
    await this.#list();
    const waiting = [...this.#waiting.values()];
    const unmarked = new Set(waiting.length === 0 ? [] : await rankings.unmarked(domain, waiting));
    const ranked = waiting.filter((batch) => !unmarked.has(batch));
    await this.#add(ranked, moved);
    for (const batch of ranked) this.#waiting.delete(textOfBatchId(batch));
  }

  /** The board is not asked for again. */
  forget(board: string): void {
    this.since.delete(board);
    this.#forgotten.add(board);
  }

  async #list(): Promise<void> {
    const { writer, domain, known } = this.#options;
    const { closedTo } = await readEpochs(writer, domain);
    let place = placeAt(this.#from);
    for (let length = pageSize; length === pageSize;) {
      const page = await listBatches(writer, domain, place, Number.MAX_SAFE_INTEGER, pageSize);
      for (const batch of page) {
        const [producer, { sequence }] = [Buffer.from(batch.producer, "hex"), batch];
        if ([known.ledger, known.folded, this.#listed].some((marks) => marks.has(producer, sequence))) continue;
        this.#listed.set(producer, sequence);
        this.#waiting.set(textOfBatchId(batch), batch);
      }
      place = page.at(-1) ?? place;
      length = page.length;
    }
    this.#from = closedTo + 1;
    const fold = await readFold(writer, domain);
    if (fold.epoch > this.#options.closedTo) throw new FoldedMeanwhile(`${domain}: batches since the snapshot`);
  }

  async #add(batches: readonly BatchId[], moved: Cells | undefined): Promise<void> {
    const { writer, domain, kept } = this.#options;
    for (let at = 0; at < batches.length; at += pageSize) {
      const some = batches.slice(at, at + pageSize);
      const messages = await readRankingMessages(writer, some);
      for (const batch of some) {
        const message = messages.get(textOfBatchId(batch));
        if (message === undefined) throw new FoldedMeanwhile(`${domain}: batch ${textOfBatchId(batch)}`);
        for (const [board, member, by] of cellsOf(message)) {
          if (this.#forgotten.has(board) || !isKeptBoard(board, kept)) continue;
          this.#addTo(this.since, board, member, by);
          if (moved !== undefined) this.#addTo(moved, board, member, Math.abs(by));
        }
      }
    }
  }

  #addTo(cells: Cells, board: string, member: string, by: number): void {
    // One text for all cells of a member: it takes more memory than the cell.
    const name = this.#names.getOrInsert(member, member);
    const members = cells.getOrInsertComputed(board, () => new Map());
    members.set(name, (members.get(name) ?? 0) + by);
  }
}

/** What the batch of a ranking message adds. A mirrored count is on two boards, of a day also in the
 * sums of two. */
export function* cellsOf(message: Buffer): Generator<readonly [board: string, member: string, by: number]> {
  const moves = movesOf(decodeRankingMessage(message));
  for (const [board, members] of moves.boards()) for (const [member, by] of members) yield [board, member, by];
  for (const [{ prefix, mirrorPrefix }, members] of moves.split()) {
    const chain = chainBoards({ prefix, mirrorPrefix });
    for (const [member, counts] of members) {
      for (let i = 0; i < counts.length; i += 2) {
        const [key, by] = [String(counts[i]), Number(counts[i + 1])];
        yield [prefix + key, member, by];
        yield [mirrorPrefix + member, key, by];
        if (chain === undefined) continue;
        yield [chain.keys, key, by];
        yield [chain.members, member, by];
      }
    }
  }
}
