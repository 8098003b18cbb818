import type { EntryFields } from "@tally/pipeline";
import type { Gateway, Patience } from "../gateway/gateway.ts";
import type { Outcome } from "./import-line.ts";

/** An event of a file with the key that makes it the same event on every try. */
export interface KeyedEntry {
  readonly fields: EntryFields;
  readonly key: string;
}

/** How the entries of one batch are sent. */
export interface Sending extends Patience {
  readonly gateway: Gateway;
  /** Is called when an entry has settled. */
  readonly onSettled: (entries: number) => void;
}

/** Sends entries until each is accepted or rejected, and returns that in their order. Throws as Gateway.send. */
export type SendEntries = (entries: readonly KeyedEntry[], sending: Sending) => Promise<readonly Outcome[]>;
