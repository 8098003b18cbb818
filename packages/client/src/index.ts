export { createTallyClient, type TallyClient, type TallyClientOptions } from "./create-tally-client.ts";
export { TallyClientError, type TallyClientErrorCode } from "./tally-client-error.ts";
export type { RetryOptions } from "./retry/retrying-fetch.ts";
export type { Fetch } from "./retry/attempt.ts";
export {
  createPurchaseSender,
  type PurchaseSender,
  type PurchaseSenderOptions,
} from "./sender/create-purchase-sender.ts";
export type { AddedPurchase, Purchase, RejectedPurchase, Settlement } from "./sender/purchase.ts";
export type { Journal, JournalEntry, RejectedEntry } from "./journal/journal.ts";
export type { components, paths } from "./generated/openapi.ts";
