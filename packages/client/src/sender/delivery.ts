import type { Journal } from "../journal/journal.ts";
import { type Attempt, retryDelayMs, timerMaxMs, type BackOffRange } from "../retry/retrying-fetch.ts";
import { TallyClientError } from "../tally-client-error.ts";
import { type PurchaseQueue, purchaseOf, type RejectedPurchase, type WaitingPurchase } from "./purchase-queue.ts";
import { headOf, isTimeout, sendBulk, type BulkOutcome } from "./send-bulk.ts";

export interface DeliveryOptions extends BackOffRange {
  readonly queue: PurchaseQueue;
  readonly journal: Journal | undefined;
  readonly request: Omit<Attempt, "signal">;
  readonly entriesPerRequestMax: number;
  readonly bytesPerRequestMax: number;
  readonly onRejected: (rejected: RejectedPurchase) => void;
  readonly onProblem: ((problem: TallyClientError | undefined) => void) | undefined;
}

type Results = Extract<BulkOutcome<WaitingPurchase>, { readonly kind: "results" }>;

/** Delivers the purchases of a queue: one request at a time, the oldest first.
 *
 *   idle      the queue is empty; `start()` begins to send
 *   sending   a request is under way
 *   waiting   after a failure, until Retry-After or the back-off has passed
 *   stopped   the gateway rejects every request; nothing is sent until `resume()`
 *   finished  nothing is sent any more */
export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #finished = new AbortController();
  readonly #waiters = new Set<() => void>();
  #isRunning = false;
  #run: Promise<void> = Promise.resolve();
  #isStopped = false;
  #hasAccepted = false;
  #problem: TallyClientError | undefined;
  #failures = 0;
  #entriesMax: number;
  #wake: () => void = () => undefined;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#entriesMax = options.entriesPerRequestMax;
  }

  get problem(): TallyClientError | undefined {
    return this.#problem;
  }

  /** Call it after each added purchase. An exception of a callback is an unhandled rejection. */
  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#run = this.#deliver();
  }

  resume(): void {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    this.#report(undefined);
    this.start();
  }

  /** Resolves when the queue is empty. Rejects with STOPPED or CLOSED, and with the reason of the signal. */
  untilEmpty(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        this.#waiters.delete(check);
        signal?.removeEventListener("abort", check);
        settle();
      };
      const check = (): void => {
        if (this.#options.queue.events === 0) end(resolve);
        else if (signal?.aborted === true) end(() => reject(signal.reason));
        else if (this.#isStopped) end(() => reject(this.#problem));
        else if (this.#finished.signal.aborted) end(() => reject(new TallyClientError("CLOSED")));
      };
      this.#waiters.add(check);
      signal?.addEventListener("abort", check);
      check();
    });
  }

  /** Ends a back-off, delivers for at most `withinMs`, then ends the request under way. */
  async finish(withinMs: number): Promise<void> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), Math.min(withinMs, timerMaxMs));
    this.#wake();
    // The caller sees what is left in the queue.
    await this.untilEmpty(limit.signal).catch(() => undefined);
    clearTimeout(timer);
    this.#finished.abort();
    this.#wake();
    await this.#run;
    this.changed();
  }

  /** Wakes the callers that wait for an empty queue. */
  changed(): void {
    for (const check of this.#waiters) check();
  }

  async #deliver(): Promise<void> {
    try {
      while (this.#options.queue.purchases.length > 0 && !this.#isStopped && !this.#finished.signal.aborted) {
        const delayMs = await this.#deliverHead();
        this.changed();
        if (delayMs > 0 && !this.#finished.signal.aborted) await this.#pause(delayMs);
      }
    } finally {
      // In the same turn as the last look at the queue: a purchase that is added later starts the next run.
      this.#isRunning = false;
    }
  }

  /** Returns how long to wait before the next request, in ms. */
  async #deliverHead(): Promise<number> {
    const { queue, request, bytesPerRequestMax } = this.#options;
    const purchases = headOf(queue.purchases, { entriesMax: this.#entriesMax, bytesMax: bytesPerRequestMax });
    const outcome = await sendBulk(purchases, { ...request, signal: this.#finished.signal });
    switch (outcome.kind) {
      case "results": {
        const forbidden = outcome.rejected.find(({ status }) => status === 403);
        // The API key is for other stores, unless the gateway has taken one with it: then the purchases are wrong.
        if (forbidden && !this.#hasAccepted && outcome.accepted.length + outcome.again.length === 0)
          return this.#stop(`403 ${forbidden.error}`);
        return this.#settle(outcome);
      }
      case "later":
        if (this.#finished.signal.aborted) return 0;
        if (isTimeout(outcome)) this.#entriesMax = Math.ceil(purchases.length / 2);
        this.#failures++;
        this.#report(new TallyClientError("UNREACHABLE", outcome.reason, { cause: outcome.cause }));
        return this.#delayMs(outcome.retryAfterMs);
      case "tooLarge":
        this.#entriesMax = Math.ceil(purchases.length / 2);
        return 0;
      case "stopped":
        return this.#stop(outcome.reason);
    }
  }

  #stop(reason: string): number {
    this.#isStopped = true;
    this.#report(new TallyClientError("STOPPED", reason));
    return 0;
  }

  /** Removes the oldest purchases from journal and queue, except `again`. */
  async #settle({ accepted, rejected, again, retryAfterMs }: Results): Promise<number> {
    const { journal, queue, onRejected, entriesPerRequestMax } = this.#options;
    const numbers = accepted.map(({ number }) => number);
    const kept = rejected.map(({ number, text, status, error }) => ({ number, text, status, error }));
    this.#report(
      await journal?.settle(numbers, kept).then(
        () => undefined,
        (error: unknown) =>
          error instanceof TallyClientError ? error : new TallyClientError("JOURNAL_FAILED", "", { cause: error }),
      ),
    );
    queue.remove(accepted.length + rejected.length + again.length, again);
    for (const { settle, id } of accepted) settle({ outcome: "accepted", id });
    for (const { settle, status, error } of rejected) settle({ outcome: "rejected", status, error });
    for (const one of rejected) onRejected({ purchase: purchaseOf(one), status: one.status, error: one.error });
    // A gateway that takes less at a time is asked for a little more after each success.
    this.#hasAccepted ||= accepted.length > 0;
    if (accepted.length > 0)
      this.#entriesMax = Math.min(entriesPerRequestMax, this.#entriesMax + Math.ceil(this.#entriesMax / 8));
    this.#failures = again.length === 0 ? 0 : 1;
    return again.length === 0 ? 0 : this.#delayMs(retryAfterMs);
  }

  #report(problem: TallyClientError | undefined): void {
    const isKnown = problem?.code === this.#problem?.code;
    this.#problem = problem;
    if (!isKnown) this.#options.onProblem?.(problem);
  }

  #delayMs(retryAfterMs: number | undefined): number {
    // A proxy that asks for an hour must not keep a till silent for it.
    const after = retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, retryAfterMaxMs);
    return retryDelayMs(this.#failures, this.#options, after);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

const retryAfterMaxMs = 60_000;
