import type { EntryFields } from "@tally/contract";
import { linesOf } from "../entries/lines-of.ts";
import { parseEntry } from "../entries/entry-fields.ts";
import type { ImportLine } from "./import-line.ts";

/** The lines of a file with one JSON object a line. Empty lines are skipped. Holds the longest line in memory. */
export async function* ndjsonLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<ImportLine> {
  let number = 0;
  for await (const line of linesOf(chunks)) {
    number++;
    const text = line.trim();
    if (text === "") continue;
    const entry = withoutRejection(parseEntry(text));
    const content = entry === undefined ? { problem: "expected a JSON object with the fields of an event" } : { entry };
    yield { number, cells: [text], content };
  }
}

/** A line of a file of rejected lines may be corrected and imported. */
function withoutRejection(entry: EntryFields | undefined): EntryFields | undefined {
  if (entry === undefined || !("reason" in entry)) return entry;
  const { line: _line, reason: _reason, ...fields } = entry;
  return fields;
}
