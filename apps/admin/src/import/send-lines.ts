import type { EntryFields } from "@tally/contract";
import { CommandError } from "../command-error.ts";
import type { Gateway, Patience } from "../gateway/gateway.ts";
import type { Outcome } from "./import-line.ts";

/** An event of a file with the key that makes it the same event on every try. */
export interface KeyedEntry {
  readonly fields: EntryFields;
  readonly key: string;
  /** Its number in the file. */
  readonly line: number;
}

/** How the entries of one batch are sent. */
export interface Sending extends Patience {
  readonly gateway: Gateway;
  /** Is called when an entry has settled. */
  readonly onSettled: (entries: number) => void;
}

/** Sends entries until each is accepted or rejected, and returns that in their order. Throws as Gateway.send. */
export type SendEntries = (entries: readonly KeyedEntry[], sending: Sending) => Promise<readonly Outcome[]>;

/**
 * The gateway responds with 500 to a line, however often it is sent. The import stops and does not reject the line: the gateway may have
 * accepted it, and a corrected line would have another key.
 */
export function failsAtLine(line: number, message: string): CommandError {
  return new CommandError(
    `line ${line}: ${message}\nThe log of the gateway has the cause. To go on without this line, add --skip-line ${line}`,
  );
}
