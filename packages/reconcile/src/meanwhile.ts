import { FoldedMeanwhile, listBatches, placeAt, readEpochs, readFold } from "@tally/database";
import { readRankingMessages } from "@tally/database";
import { decodeRankingMessage, textOfBatchId, type BatchId, type SqlReader } from "@tally/contract";
import { addMoves, type Rankings } from "@tally/redis";
import type { Batches } from "./add-up.ts";
import { BatchMarks } from "./batch-marks.ts";
import { MoveLog } from "./move-log.ts";

/*
 * Compares boards with a snapshot of the rows while events are stored and ranked. A board shows the rows of all batches
 * that are marked, so it differs from the snapshot by the moves of the batches that were ranked since, which are in
 * their ranking messages in the ledger. Which ones a read of Redis has seen is known but for those that were ranked
 * during the read: they are in the ledger afterwards, and their cells are read again, alone.
 */

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
}

const pageSize = 1000;

/** What has moved on the boards since a snapshot. */
export class Meanwhile {
  readonly #options: MeanwhileOptions;
  /** The first epoch whose batches may be new. */
  #from: number;
  readonly #listed = new BatchMarks();
  /** Without a mark at the last look, by textOfBatchId. */
  readonly #waiting = new Map<string, BatchId>();
  readonly staysMs: number;
  /** Those of batches that are ranked and not in the snapshot. */
  readonly moves = new MoveLog();

  constructor(options: MeanwhileOptions) {
    this.#options = options;
    this.staysMs = options.staysMs;
    this.#from = options.closedTo + 1;
  }

  /** Learns what was ranked since the last look, and returns the place of its first move: a read since then may have seen
   * some of these moves. Throws FoldedMeanwhile if a batch that the snapshot may lack was folded: the ledger has it no
   * more. */
  async look(): Promise<number> {
    const { rankings, domain } = this.#options;
    // Before the marks: what a read has seen until now is in the ledger.
    await this.#list();
    const waiting = [...this.#waiting.values()];
    const unmarked = new Set(waiting.length === 0 ? [] : await rankings.unmarked(domain, waiting));
    const ranked = waiting.filter((batch) => !unmarked.has(batch));
    const { length } = this.moves;
    await this.#add(ranked);
    for (const batch of ranked) this.#waiting.delete(textOfBatchId(batch));
    return length;
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

  async #add(batches: readonly BatchId[]): Promise<void> {
    const { writer, domain } = this.#options;
    for (let at = 0; at < batches.length; at += pageSize) {
      const some = batches.slice(at, at + pageSize);
      const messages = await readRankingMessages(writer, some);
      for (const batch of some) {
        const message = messages.get(textOfBatchId(batch));
        if (message === undefined) throw new FoldedMeanwhile(`${domain}: batch ${textOfBatchId(batch)}`);
        addMoves(decodeRankingMessage(message), this.moves);
      }
    }
  }
}
