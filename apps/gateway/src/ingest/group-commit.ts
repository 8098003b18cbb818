import { encodeBatch, gatewayChannels, textOfBatchId, type BatchIds, type EncodedEvent } from "@tally/contract";
import type { Publisher, PublishOutcome } from "@tally/broker";
import type { GatewayConfig } from "../config.ts";
import type { TracedEvent } from "@tally/telemetry";
import type { TracedPublish } from "./event-traces.ts";
import type { Pace } from "./pace.ts";

/*
 * One broker round trip and one fsync for many events:
 *
 *   open      collects events; there is one, or none
 *   full      its events or bytes are at the limit; waits to be published
 *   in flight published, not confirmed
 *
 * An open batch is flushed when no batch is in flight and it is ripe. A single event is ripe at once, so a sequential
 * client never waits. Several events are ripe when no more arrive, or batchEveryMs after the previous batch was
 * published. So steady traffic does not become many small batches, each of which costs the later stages as much as a
 * large one. A full batch need not be ripe. Every batch waits for the pace, at most batchesInFlightMax are in flight,
 * and each waits confirmWithinMs for its confirm, from its first event on.
 */

/** The outcome of an event. Only "confirmed" means that it is on disk at the broker. */
export type CommitOutcome =
  | "confirmed"
  /** Not taken: too many events wait already, or the queue is full. */
  | "busy"
  /** Not taken: the broker is down, blocks publishers, or has no such queue. */
  | "unavailable"
  /** Sent, but not confirmed in time: it may be stored or not. */
  | "unknown";

type Limits =
  | "batchEventsMax"
  | "batchBytesMax"
  | "batchesInFlightMax"
  | "batchEveryMs"
  | "waitingMax"
  | "waitingBytesMax";

export interface GroupCommitOptions extends Pick<GatewayConfig, Limits | "confirmWithinMs"> {
  readonly queue: string;
  readonly eventVersion: number;
  readonly publisher: Publisher;
  readonly ids: BatchIds;
  readonly pace: Pace;
  /** Called once for each batch: its number of events, their outcome, and the times of its oldest event. */
  readonly onBatch: (events: number, outcome: PublishOutcome, times: BatchTimes) => void;
  /** Called when a batch with traced events is flushed. */
  readonly beginPublish: (traced: readonly TracedEvent[]) => TracedPublish;
}

/** How long the oldest event of a batch was in each state, in ms. `respondedMs`: confirm to last response. */
type BatchTimes = Readonly<Record<"openMs" | "inFlightMs" | "respondedMs", number>>;

/** Takes the outcome of an event. Must not throw. */
export type Settle = (outcome: CommitOutcome) => void;

interface OpenBatch {
  readonly events: EncodedEvent[];
  readonly waiters: Settle[];
  readonly openedAtMs: number;
  newestAtMs: number;
  bytes: number;
  /** The events of sampled requests; undefined for nearly every batch. */
  traced: TracedEvent[] | undefined;
}

interface SettledBatch extends Omit<BatchTimes, "respondedMs"> {
  readonly batch: OpenBatch;
  readonly outcome: PublishOutcome;
  readonly result: CommitOutcome;
  readonly settledAtMs: number;
  /** How many of its requests have their response. */
  responded: number;
}

// Events of steady traffic are at most this far apart: a turn of a busy event loop, and the shortest timer of Node.
const steadyGapMs = 1;
// 64 responses take about 1 ms. Other requests are read between two turns.
const responsesPerTurn = 64;

export class GroupCommit {
  readonly #options: GroupCommitOptions;
  #open: OpenBatch | undefined;
  readonly #full: OpenBatch[] = [];
  #inFlight = 0;
  #publishedAtMs = 0;
  #waiting = 0;
  #waitingBytes = 0;
  #ripening: NodeJS.Timeout | undefined;
  #wake: NodeJS.Timeout | NodeJS.Immediate | undefined;
  #drained: (() => void) | undefined;
  /** Batches with an outcome, whose requests get their responses in turns of the event loop. */
  readonly #settled: SettledBatch[] = [];

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  /** Events whose outcome is not known yet. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Puts an event into the open batch. Calls `settle` with the outcome, at once when the event is not taken. */
  add(event: EncodedEvent, settle: Settle, traced?: TracedEvent): void {
    if (this.#waiting >= this.#options.waitingMax) return settle("busy");
    if (this.#waitingBytes + event.size > this.#options.waitingBytesMax) return settle("busy");
    if (this.#options.publisher.state === "blocked") return settle("unavailable");
    if (this.#open !== undefined && this.#open.bytes + event.size > this.#options.batchBytesMax) this.#closeOpen();
    const now = performance.now();
    this.#open ??= { events: [], waiters: [], openedAtMs: now, newestAtMs: now, bytes: 0, traced: undefined };
    const batch = this.#open;
    batch.events.push(event);
    batch.waiters.push(settle);
    if (traced !== undefined) (batch.traced ??= []).push(traced);
    batch.bytes += event.size;
    batch.newestAtMs = now;
    this.#waiting++;
    this.#waitingBytes += event.size;
    if (batch.events.length >= this.#options.batchEventsMax || batch.bytes >= this.#options.batchBytesMax)
      this.#closeOpen();
    // Later in this turn, so that all requests that were read together go together.
    this.#wake ??= setImmediate(this.#pump);
  }

  /** Resolves when no event waits. Nothing may be added afterwards. */
  async drain(): Promise<void> {
    if (this.#waiting === 0) return;
    await new Promise<void>((resolve) => (this.#drained = resolve));
  }

  #closeOpen(): void {
    if (this.#open !== undefined) this.#full.push(this.#open);
    this.#open = undefined;
  }

  readonly #pump = (): void => {
    this.#wake = undefined;
    while (this.#inFlight < this.#options.batchesInFlightMax) {
      const next = this.#full[0] ?? (this.#inFlight === 0 ? this.#open : undefined);
      if (next === undefined) return;
      const now = performance.now();
      const unripeMs = next === this.#open ? this.#unripeMs(next, now) : 0;
      if (unripeMs > 0) {
        // Looks again after the turn of the event loop, because requests that arrived meanwhile are still unread.
        this.#ripening ??= setTimeout(() => {
          this.#ripening = undefined;
          this.#wake ??= setImmediate(this.#pump);
        }, unripeMs);
        return;
      }
      const waitMs = this.#options.pace.waitMs(now);
      if (waitMs > 0) {
        this.#wake = setTimeout(this.#pump, waitMs);
        return;
      }
      if (this.#full.length > 0) this.#full.shift();
      else this.#open = undefined;
      this.#publishedAtMs = now;
      this.#options.pace.published(next.events.length, next.bytes, now);
      void this.#publish(next);
    }
  };

  #unripeMs({ events, openedAtMs, newestAtMs }: OpenBatch, now: number): number {
    const { batchEveryMs, confirmWithinMs } = this.#options;
    // With any settings, a batch that waits for more events keeps half of its time for the confirm.
    const ripeAtMs = Math.min(
      this.#publishedAtMs + batchEveryMs,
      newestAtMs + steadyGapMs,
      openedAtMs + confirmWithinMs / 2,
    );
    return events.length === 1 ? 0 : ripeAtMs - now;
  }

  async #publish(batch: OpenBatch): Promise<void> {
    this.#inFlight++;
    const flushedAtMs = performance.now();
    const deadline = batch.openedAtMs + this.#options.confirmWithinMs;
    const publish = batch.traced && this.#options.beginPublish(batch.traced);
    const isInTime = deadline > flushedAtMs;
    const outcome = isInTime ? await this.#send(batch, deadline, publish?.headers) : "expired";
    publish?.ended(outcome);
    const settledAtMs = performance.now();
    this.#inFlight--;
    this.#wake ??= setImmediate(this.#pump);
    if (outcome === "confirmed") gatewayChannels.afterConfirm.publish(this.#options.queue);
    // A batch that was not sent is not stored.
    const result = isInTime ? commitOutcomes[outcome] : "busy";
    const openMs = flushedAtMs - batch.openedAtMs;
    const inFlightMs = settledAtMs - flushedAtMs;
    this.#settled.push({ batch, outcome, result, openMs, inFlightMs, settledAtMs, responded: 0 });
    if (this.#settled.length === 1) this.#respond();
  }

  // One confirm can settle many batches at once.
  readonly #respond = (): void => {
    let left = responsesPerTurn;
    try {
      for (let settled = this.#settled[0]; settled !== undefined; settled = this.#settled[0]) {
        const { waiters } = settled.batch;
        for (; left > 0 && settled.responded < waiters.length; left--) waiters[settled.responded++]?.(settled.result);
        if (settled.responded < waiters.length) break;
        this.#settled.shift();
        this.#finish(settled);
      }
    } finally {
      // Runs after a waiter that throws, too, so that the others get their outcome.
      if (this.#settled.length > 0) setImmediate(this.#respond);
    }
  };

  #finish({ batch, outcome, openMs, inFlightMs, settledAtMs }: SettledBatch): void {
    if (outcome === "confirmed") gatewayChannels.afterResponse.publish(this.#options.queue);
    this.#waiting -= batch.events.length;
    this.#waitingBytes -= batch.bytes;
    const respondedMs = performance.now() - settledAtMs;
    this.#options.onBatch(batch.events.length, outcome, { openMs, inFlightMs, respondedMs });
    if (this.#waiting === 0) this.#drained?.();
  }

  #send({ events }: OpenBatch, deadline: number, headers?: TracedPublish["headers"]): Promise<PublishOutcome> {
    const { ids, queue, eventVersion, publisher } = this.#options;
    const id = ids.next();
    gatewayChannels.beforePublish.publish(queue);
    const body = encodeBatch(id, Date.now(), events, eventVersion);
    return publisher.publish({ queue, messageId: textOfBatchId(id), body, deadline, ...(headers && { headers }) });
  }
}

/** What a publish means for its events. */
export const commitOutcomes = {
  confirmed: "confirmed",
  rejected: "busy",
  unroutable: "unavailable",
  expired: "unknown",
} as const satisfies Record<PublishOutcome, CommitOutcome>;
