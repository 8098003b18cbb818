import type { ReceivedBatch } from "./received-batch.ts";

export interface LineLimits {
  /** A transaction takes waiting batches up to this number of events, but at least one batch. */
  readonly eventsPerTransaction: number;
  /** And up to this size of messages. */
  readonly bytesPerTransaction: number;
  /** The broker sends at most this number of deliveries before some are acknowledged. */
  readonly prefetch: number;
}

/** Batches that wait for a transaction, in the order of their arrival. */
export class WaitingLine {
  readonly #limits: LineLimits;
  #batches: ReceivedBatch[] = [];

  constructor(limits: LineLimits) {
    this.#limits = limits;
  }

  get isEmpty(): boolean {
    return this.#batches.length === 0;
  }

  /** True when the next transaction would gain little by waiting: it is full, or half of the prefetch waits. */
  get isFull(): boolean {
    return this.#batches.length * 2 >= this.#limits.prefetch || this.#first().isFull;
  }

  push(received: ReceivedBatch): void {
    // After a lost connection the broker delivers all again: copies would accumulate while the database is down.
    // A parked batch before them is never lost.
    if (this.#batches.some(({ delivery }) => delivery.lost))
      this.#batches = this.#batches.filter(({ delivery }) => !delivery.lost);
    this.#batches.push(received);
  }

  /** Removes at least one batch. `copies` are second deliveries of batches in `group`. Other content under an id of
   * `group` stays in the line: the next transaction finds the id in the ledger. */
  cut(): { readonly group: readonly ReceivedBatch[]; readonly copies: readonly ReceivedBatch[] } {
    const taken = this.#batches.splice(0, Math.max(1, this.#first().count));
    const group = new Map<string, ReceivedBatch>();
    const copies: ReceivedBatch[] = [];
    const foreign: ReceivedBatch[] = [];
    for (const received of taken) {
      const first = group.get(received.key);
      if (first === undefined) group.set(received.key, received);
      else (first.bodyHash.equals(received.bodyHash) ? copies : foreign).push(received);
    }
    this.#batches.unshift(...foreign);
    return { group: [...group.values()], copies };
  }

  // How many batches the next transaction holds, and whether no more would fit.
  #first(): { readonly count: number; readonly isFull: boolean } {
    const { eventsPerTransaction, bytesPerTransaction } = this.#limits;
    let events = 0;
    let bytes = 0;
    let count = 0;
    for (const { batch, delivery } of this.#batches) {
      events += batch.events.length;
      bytes += delivery.body.length;
      if (events > eventsPerTransaction || bytes > bytesPerTransaction) return { count, isFull: true };
      count++;
    }
    return { count, isFull: events === eventsPerTransaction || bytes === bytesPerTransaction };
  }
}
