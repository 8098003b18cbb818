import { authorizationOf } from "../create-tally-client.ts";
import type { Journal, JournalEntry } from "../journal/journal.ts";
import type { Fetch } from "../retry/retrying-fetch.ts";
import { TallyClientError } from "../tally-client-error.ts";
import { Delivery } from "./delivery.ts";
import { PurchaseQueue } from "./purchase-queue.ts";
import type { AddedPurchase, Purchase, RejectedPurchase, Settlement, WaitingPurchase } from "./purchase-queue.ts";

export interface PurchaseSenderOptions {
  /** The gateway's, with its base path if it has one. */
  readonly baseUrl: string;
  /** Needs the scope `purchases:write` for the stores of the purchases. */
  readonly apiKey?: string | undefined;
  /** Keeps purchases beyond the end of the process. Absent: they are in memory only. The sender closes it. */
  readonly journal?: Journal | undefined;
  /** Purchases in the buffer. Default 100,000. */
  readonly eventsMax?: number;
  /** Their JSON in bytes. Default 32 MiB. */
  readonly bytesMax?: number;
  /** Entries of one request. Default 1,000, the most that a gateway takes. */
  readonly entriesPerRequestMax?: number;
  /** Bytes of one request. Default 1 MiB; a gateway takes 2 MiB unless it is set otherwise. */
  readonly bytesPerRequestMax?: number;
  /** For one request, in ms. Default 30,000. */
  readonly attemptMs?: number;
  /** The delay after a first failure, in ms; it doubles with each further one. Default 200. */
  readonly firstDelayMs?: number;
  /** The longest of these delays, in ms. Default 10,000. */
  readonly longestDelayMs?: number;
  /** Default: the platform's. */
  readonly fetch?: Fetch;
  /** A purchase that the gateway will never accept as it is. A file journal keeps it in `<path>.rejected`. */
  readonly onRejected: (rejected: RejectedPurchase) => void;
  /** Called with the error when `problem` begins or gets another code, and with undefined when it ends. */
  readonly onProblem?: (problem: TallyClientError | undefined) => void;
}

/** Delivers each purchase that it has taken once, as long as its process lives; with a journal also beyond that. */
export type PurchaseSender = ReturnType<typeof createPurchaseSender>;

/** Collects purchases and sends them as entries of `POST /purchases`, each with its own idempotencyKey, one request at
 * a time. While a request is under way the next entries collect; an idle sender sends at once. Each entry is settled by
 * its own result. Entries that may be accepted later are sent again, ahead of newer ones, until they are settled: after
 * `Retry-After`, or with a growing random delay.
 *
 * The buffer holds JSON, at most `eventsMax` purchases and `bytesMax` bytes. */
export function createPurchaseSender({
  baseUrl,
  apiKey,
  journal,
  eventsMax = 100_000,
  bytesMax = 32 * 2 ** 20,
  entriesPerRequestMax = 1000,
  bytesPerRequestMax = 2 ** 20,
  attemptMs = 30_000,
  firstDelayMs = 200,
  longestDelayMs = 10_000,
  fetch = (url, init) => globalThis.fetch(url, init),
  onRejected,
  onProblem,
}: PurchaseSenderOptions) {
  const queue = new PurchaseQueue({ eventsMax, bytesMax }, (journal?.left ?? []).map(waitingOf));
  const headers = { "content-type": "application/x-ndjson", ...authorizationOf(apiKey) };
  const url = `${new URL(baseUrl).href.replace(/\/$/, "")}/purchases`;
  const delivery = new Delivery({
    queue,
    journal,
    request: { fetch, url, init: { method: "POST", redirect: "manual", headers }, attemptMs },
    entriesPerRequestMax,
    bytesPerRequestMax,
    firstDelayMs,
    longestDelayMs,
    onRejected,
    onProblem,
  });
  let closing: Promise<{ readonly waiting: number }> | undefined;

  async function keep(text: string, bytes: number): Promise<number> {
    queue.reserve(bytes);
    try {
      return journal === undefined ? 0 : await journal.append(text);
    } catch (error) {
      queue.release(bytes);
      delivery.changed();
      throw error;
    }
  }

  async function close(withinMs: number): Promise<{ readonly waiting: number }> {
    await delivery.finish(withinMs);
    await journal?.close();
    const waiting = queue.events;
    for (const purchase of queue.drain()) purchase.settle({ outcome: "unsettled" });
    return { waiting };
  }

  delivery.start();
  return {
    /** Purchases that are not settled. */
    get waiting(): number {
      return queue.events;
    },
    /** Why nothing is delivered or kept at the moment. */
    get problem(): TallyClientError | undefined {
      return delivery.problem;
    },
    /** Resolves when durable in the journal, without one at once. Rejects with BUFFER_FULL, JOURNAL_FAILED or CLOSED. */
    async add(purchase: Purchase): Promise<AddedPurchase> {
      if (closing !== undefined) throw new TallyClientError("CLOSED");
      const idempotencyKey = purchase.idempotencyKey ?? crypto.randomUUID();
      const text = JSON.stringify({ ...purchase, idempotencyKey });
      const bytes = Buffer.byteLength(text);
      const number = await keep(text, bytes);
      const settled = new Promise<Settlement>((settle) => queue.push({ number, text, bytes, settle }));
      delivery.start();
      return { idempotencyKey, settled };
    },
    /** Resolves when no purchase waits. Rejects with STOPPED or CLOSED, and with the reason of an aborted signal. */
    flush: (signal?: AbortSignal): Promise<void> => delivery.untilEmpty(signal),
    resume: (): void => delivery.resume(),
    /** Sends what waits for at most `withinMs` (default 10,000). Without a journal the remaining `waiting` are lost. */
    close: ({ withinMs = 10_000 } = {}) => (closing ??= close(withinMs)),
  };
}

function waitingOf({ number, text }: JournalEntry): WaitingPurchase {
  return { number, text, bytes: Buffer.byteLength(text), settle: () => undefined };
}
