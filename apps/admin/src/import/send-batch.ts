import { IdempotencyKey } from "@tally/pipeline";
import { Check } from "typebox/value";
import { keyColumn } from "./csv-columns.ts";
import type { ImportLine, Outcome } from "./import-line.ts";
import type { KeyedEntry, SendEntries, Sending } from "./send-lines.ts";

/** Sends the lines that hold an event, and returns what became of each line. `identity` is that of the file. */
export async function sendBatch(
  send: SendEntries,
  lines: readonly ImportLine[],
  identity: string,
  sending: Sending,
): Promise<readonly Outcome[]> {
  const keyed = lines.map((line) => keyedEntry(line, identity));
  const entries = keyed.filter((one) => "key" in one);
  sending.onSettled(lines.length - entries.length);
  const outcomes = (await send(entries, sending)).values();
  return keyed.map((one) => ("key" in one ? (outcomes.next().value ?? { rejected: "not sent" }) : one));
}

function keyedEntry({ content, number }: ImportLine, identity: string): KeyedEntry | { readonly rejected: string } {
  if ("problem" in content) return { rejected: content.problem };
  const { [keyColumn]: own, ...fields } = content.entry;
  if (own === undefined || own === null) return { fields, key: `import-${identity}-${number}` };
  if (Check(IdempotencyKey, own)) return { fields, key: own };
  return { rejected: `${keyColumn}: expected 1 to 255 visible ASCII characters` };
}
