import { text } from "node:stream/consumers";
import type { Domain, EntryFields } from "@tally/contract";
import { CommandError } from "../command-error.ts";
import { parseEntry } from "../entries/entry-fields.ts";
import { exitCodes } from "../exit-codes.ts";

/** The fields of an event as a JSON object on stdin. Throws a CommandError for anything else, and when stdin is a terminal. */
export async function readStdinEntry(domain: Domain): Promise<EntryFields> {
  if (process.stdin.isTTY)
    throw new CommandError(
      `${domain.name}: expected its fields as flags, or as JSON on stdin; see tally send ${domain.name} --help`,
      exitCodes.usage,
    );
  const json = await text(process.stdin);
  const entry = parseEntry(json);
  if (entry !== undefined) return entry;
  throw new CommandError(
    `stdin: expected a JSON object with the fields of the event, got ${json.slice(0, 60)}`,
    exitCodes.usage,
  );
}
