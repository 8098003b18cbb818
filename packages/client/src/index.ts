export { createTallyClient, type TallyClient, type TallyClientOptions } from "./create-tally-client.ts";
export { TallyClientError, tallyClientErrors, type TallyClientErrorCode } from "./tally-client-error.ts";
export {
  retryingFetch,
  type RetryOptions,
  isRetriable,
  retryDelayMs,
  type Attempt,
  type Fetch,
} from "./retry/retrying-fetch.ts";
export {
  createPurchaseSender,
  type PurchaseSender,
  type PurchaseSenderOptions,
} from "./sender/create-purchase-sender.ts";
export { sendBulk, type BulkOutcome, messageOf, type EntryResult } from "./sender/send-bulk.ts";
export type { AddedPurchase, Purchase, RejectedPurchase, Settlement } from "./sender/purchase-queue.ts";
export type { Journal, JournalEntry, RejectedEntry } from "./journal/journal.ts";
export type { components, paths } from "./generated/openapi.ts";
