import { IdempotencyKey } from "@tally/contract";
import { Check } from "typebox/value";
import { keyColumn } from "./csv-columns.ts";
import type { ImportLine, Outcome } from "./import-line.ts";
import type { KeyedEntry, SendEntries, Sending } from "./send-lines.ts";

interface OfFile {
  /** Makes the keys of the lines. */
  readonly identity: string;
  readonly skippedLines: ReadonlySet<number>;
}

/** Sends the lines that hold an event, and returns what became of each line. */
export async function sendBatch(
  send: SendEntries,
  lines: readonly ImportLine[],
  file: OfFile,
  sending: Sending,
): Promise<readonly Outcome[]> {
  const keyed = lines.map((line) => keyedEntry(line, file));
  const entries = keyed.filter((one) => "key" in one);
  sending.onSettled(lines.length - entries.length);
  const outcomes = (await send(entries, sending)).values();
  return keyed.map((one) => ("key" in one ? (outcomes.next().value ?? { rejected: "not sent" }) : one));
}

function keyedEntry(
  { content, number }: ImportLine,
  { identity, skippedLines }: OfFile,
): KeyedEntry | { readonly rejected: string } {
  if ("problem" in content) return { rejected: content.problem };
  const { [keyColumn]: own, ...fields } = content.entry;
  const key = keyOf(own, `import-${identity}-${number}`);
  if (key === undefined) return { rejected: `${keyColumn}: expected 1 to 255 visible ASCII characters` };
  // With the key, because the gateway may have accepted the line in spite of its error.
  if (skippedLines.has(number)) return { rejected: `skipped with --skip-line; ${keyColumn} ${key}` };
  return { fields, key, line: number };
}

/** Undefined: the line's own key is none. */
function keyOf(own: unknown, keyOfLine: string): string | undefined {
  if (own === undefined || own === null) return keyOfLine;
  return Check(IdempotencyKey, own) ? own : undefined;
}
