import type { ReceivedBatch } from "./received-batch.ts";

export interface LineLimits {
  /** A transaction takes waiting batches until it holds so many events. */
  readonly eventsPerTransaction: number;
  /** Or so many bytes of messages. */
  readonly bytesPerTransaction: number;
  /** How many deliveries the broker sends before some are acknowledged. */
  readonly prefetch: number;
}

/** Batches that wait for a transaction, in the order in which they came. */
export class WaitingLine {
  readonly #limits: LineLimits;
  #batches: ReceivedBatch[] = [];

  constructor(limits: LineLimits) {
    this.#limits = limits;
  }

  get isEmpty(): boolean {
    return this.#batches.length === 0;
  }

  /** Whether a transaction would gain little by waiting: it is full, or few more can come before some batches are acknowledged. */
  get isFull(): boolean {
    return this.#batches.length * 2 >= this.#limits.prefetch || this.#first().isFull;
  }

  push(received: ReceivedBatch): void {
    // After a lost connection all that waits comes again. Kept, copies would pile up while the database is away.
    if (this.#batches[0]?.delivery.lost === true) this.#batches = this.#batches.filter((one) => !one.delivery.lost);
    this.#batches.push(received);
  }

  /** Takes as many as one transaction holds, one at least. `copies` are second deliveries of batches among them. */
  cut(): { readonly group: readonly ReceivedBatch[]; readonly copies: readonly ReceivedBatch[] } {
    const taken = this.#batches.splice(0, Math.max(1, this.#first().count));
    const group = new Map<string, ReceivedBatch>();
    const copies: ReceivedBatch[] = [];
    for (const received of taken) {
      if (group.has(received.key)) copies.push(received);
      else group.set(received.key, received);
    }
    return { group: [...group.values()], copies };
  }

  // How many of the first fit into a transaction, and whether nothing fits behind them.
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
