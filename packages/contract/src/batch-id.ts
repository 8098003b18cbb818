import { randomBytes } from "node:crypto";

/**
 * Identifies a batch permanently. `producer` is 64 random bits as 16 hex digits, new at each start of a gateway;
 * `sequence` counts the producer's batches from 0. So the mark of a batch is one bit, and the ledger is clustered by
 * arrival.
 */
export interface BatchId {
  readonly producer: string;
  readonly sequence: number;
}

const sequenceEnd = 2 ** 32;

/** Generates batch ids without repetition; a sequence fits into 32 bits. */
export class BatchIds {
  #producer = randomBytes(8).toString("hex");
  #next = 0;

  next(): BatchId {
    if (this.#next === sequenceEnd) {
      this.#producer = randomBytes(8).toString("hex");
      this.#next = 0;
    }
    return { producer: this.#producer, sequence: this.#next++ };
  }
}

/** A batch id as text, for messages and logs: "9f86d081884c7d65:17". */
export function textOfBatchId(id: BatchId): string {
  return `${id.producer}:${id.sequence}`;
}
