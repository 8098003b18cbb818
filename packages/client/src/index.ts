export { createTallyClient, type TallyClient, type TallyClientOptions } from "./create-tally-client.ts";
export { TallyClientError, tallyClientErrors, type TallyClientErrorCode } from "./tally-client-error.ts";
export { retryingFetch, type RetryOptions } from "./retry/retrying-fetch.ts";
export { isRetriable, retryDelayMs } from "./retry/retry-delay.ts";
export type { Attempt, Fetch } from "./retry/attempt.ts";
export {
  createPurchaseSender,
  type PurchaseSender,
  type PurchaseSenderOptions,
} from "./sender/create-purchase-sender.ts";
export { sendBulk, type BulkOutcome } from "./sender/send-bulk.ts";
export { messageOf, type EntryResult } from "./sender/bulk-results.ts";
export type { AddedPurchase, Purchase, RejectedPurchase, Settlement } from "./sender/purchase.ts";
export type { Journal, JournalEntry, RejectedEntry } from "./journal/journal.ts";
export type { components, paths } from "./generated/openapi.ts";
