import { encodeBatch, gatewayChannels, textOfBatchId, type BatchIds, type EncodedEvent } from "@tally/pipeline";
import type { Publisher, PublishOutcome } from "@tally/messaging";
import type { Pace } from "./pace.ts";

/*
 * One broker round trip and one fsync for many events:
 *
 *   open      takes events; there is one, or none
 *   sealed    is full (events or bytes), waits for its turn
 *   in flight published, not confirmed
 *
 * An open batch goes when nothing is in flight and it is ripe: one event alone is, at once; several are when no more come, or
 * when the batch before them went everyMs ago. So who asks one after the other waits for nobody, and a stream of events does
 * not become a stream of small batches, each of which costs all that follow as much as a large one. A sealed batch goes
 * at once. Both wait for the pace, and there are never more than inFlightMax in flight.
 */

/** What became of an event. Only "confirmed" means that it is on disk at the broker. */
export type CommitOutcome =
  | "confirmed"
  /** Not taken: too many wait already, or the queue is full. */
  | "busy"
  /** Not taken: the broker is away, refuses or has no such queue. */
  | "unavailable"
  /** Sent, but not confirmed in time: it may be stored or not. */
  | "unknown";

export interface GroupCommitOptions {
  readonly queue: string;
  readonly publisher: Publisher;
  readonly ids: BatchIds;
  readonly pace: Pace;
  readonly eventsMax: number;
  readonly bytesMax: number;
  readonly inFlightMax: number;
  /** While several go on coming, a crowd gap apart at most, batches that are not full go so often, in ms; 0: as soon as nothing is in flight. */
  readonly everyMs: number;
  /** How many events may wait for their confirm before further ones are turned away. */
  readonly waitingMax: number;
  /** Likewise bytes. */
  readonly waitingBytesMax: number;
  /** How long an event waits for its confirm, its wait for a turn included. */
  readonly deadlineMs: number;
  /** Told once for each batch: how many events, what became of them, how long the oldest waited. */
  readonly onBatch: (events: number, outcome: PublishOutcome, waitedMs: number) => void;
}

interface OpenBatch {
  readonly events: EncodedEvent[];
  readonly waiters: ((outcome: CommitOutcome) => void)[];
  readonly openedAtMs: number;
  newestAtMs: number;
  bytes: number;
}

// Whoever comes in a crowd follows the one before him within this time: a turn of a busy event loop, and the shortest that a timer of Node's takes.
const crowdGapMs = 1;

export class GroupCommit {
  readonly #o: GroupCommitOptions;
  #open: OpenBatch | undefined;
  readonly #sealed: OpenBatch[] = [];
  #inFlight = 0;
  #wentAtMs = 0;
  #waiting = 0;
  #waitingBytes = 0;
  #ripening: NodeJS.Timeout | undefined;
  #wake: NodeJS.Timeout | NodeJS.Immediate | undefined;
  #drained: (() => void) | undefined;

  constructor(options: GroupCommitOptions) {
    this.#o = options;
  }

  /** Events whose outcome is not known yet. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Puts an event into the open batch; resolves when that batch's outcome is known. Never rejects. */
  add(event: EncodedEvent): Promise<CommitOutcome> {
    if (this.#waiting >= this.#o.waitingMax) return Promise.resolve("busy");
    if (this.#waitingBytes + event.size > this.#o.waitingBytesMax) return Promise.resolve("busy");
    if (this.#o.publisher.state === "blocked") return Promise.resolve("unavailable");
    return new Promise((resolve) => {
      if (this.#open !== undefined && this.#open.bytes + event.size > this.#o.bytesMax) this.#seal();
      const now = performance.now();
      const batch = (this.#open ??= { events: [], waiters: [], openedAtMs: now, newestAtMs: now, bytes: 0 });
      batch.events.push(event);
      batch.waiters.push(resolve);
      batch.bytes += event.size;
      batch.newestAtMs = now;
      this.#waiting++;
      this.#waitingBytes += event.size;
      if (batch.events.length >= this.#o.eventsMax || batch.bytes >= this.#o.bytesMax) this.#seal();
      // Later in this turn, so that all requests that were read together go together.
      this.#wake ??= setImmediate(() => this.#pump());
    });
  }

  /** Resolves when no event waits any more. Nothing may be added after. */
  async drain(): Promise<void> {
    if (this.#waiting === 0) return;
    await new Promise<void>((resolve) => (this.#drained = resolve));
  }

  #seal(): void {
    if (this.#open !== undefined) this.#sealed.push(this.#open);
    this.#open = undefined;
  }

  #pump(): void {
    this.#wake = undefined;
    while (this.#inFlight < this.#o.inFlightMax) {
      const next = this.#sealed[0] ?? (this.#inFlight === 0 ? this.#open : undefined);
      if (next === undefined) return;
      const now = performance.now();
      const unripeMs = next === this.#open ? this.#unripeMs(next, now) : 0;
      if (unripeMs > 0) {
        // The turn of the event loop is over before it looks: who has come meanwhile is still unread.
        this.#ripening ??= setTimeout(() => {
          this.#ripening = undefined;
          this.#wake ??= setImmediate(() => this.#pump());
        }, unripeMs);
        return;
      }
      const waitMs = this.#o.pace.waitMs(now);
      if (waitMs > 0) {
        this.#wake = setTimeout(() => this.#pump(), waitMs);
        return;
      }
      if (this.#sealed.length > 0) this.#sealed.shift();
      else this.#open = undefined;
      this.#wentAtMs = now;
      this.#o.pace.passed(next.events.length, next.bytes, now);
      void this.#publish(next);
    }
  }

  #unripeMs({ events, openedAtMs, newestAtMs }: OpenBatch, now: number): number {
    const { everyMs, deadlineMs } = this.#o;
    // Whatever is set: a batch that waits for others has half of its time left.
    const ripeAtMs = Math.min(this.#wentAtMs + everyMs, newestAtMs + crowdGapMs, openedAtMs + deadlineMs / 2);
    return events.length === 1 ? 0 : ripeAtMs - now;
  }

  async #publish(batch: OpenBatch): Promise<void> {
    this.#inFlight++;
    const leftMs = batch.openedAtMs + this.#o.deadlineMs - performance.now();
    const outcome = leftMs > 0 ? await this.#send(batch, Date.now() + leftMs) : "expired";
    this.#inFlight--;
    this.#waiting -= batch.events.length;
    this.#waitingBytes -= batch.bytes;
    if (outcome === "confirmed") gatewayChannels.afterConfirm.publish(this.#o.queue);
    // What never went out is certainly not stored.
    const told = leftMs > 0 ? commitOutcome(outcome) : "busy";
    for (const waiter of batch.waiters) waiter(told);
    if (outcome === "confirmed") gatewayChannels.afterAnswer.publish(this.#o.queue);
    this.#o.onBatch(batch.events.length, outcome, performance.now() - batch.openedAtMs);
    if (this.#waiting === 0) this.#drained?.();
    this.#wake ??= setImmediate(() => this.#pump());
  }

  #send({ events }: OpenBatch, deadline: number): Promise<PublishOutcome> {
    const id = this.#o.ids.next();
    gatewayChannels.beforePublish.publish(this.#o.queue);
    return this.#o.publisher.publish({
      queue: this.#o.queue,
      messageId: textOfBatchId(id),
      body: encodeBatch(id, Date.now(), events),
      deadline,
    });
  }
}

function commitOutcome(outcome: PublishOutcome): CommitOutcome {
  switch (outcome) {
    case "confirmed":
      return "confirmed";
    case "rejected":
      return "busy";
    case "unroutable":
      return "unavailable";
    case "expired":
      return "unknown";
  }
}
