import { createReadStream, existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { bytesOfEventId, isEventId } from "@tally/contract";
import { IdSet } from "@tally/reconcile";
import { CommandError } from "../command-error.ts";

/** Reads a file of acknowledged event ids, one a line. About 1 s for a million. */
export async function readIds(file: string): Promise<IdSet> {
  if (!existsSync(file)) throw new CommandError(`--acknowledged: there is no file ${file}`, 2);
  const ids = new IdSet();
  let line = 0;
  for await (const text of createInterface({ input: createReadStream(file) })) {
    line++;
    const id = text.trim().toLowerCase();
    if (id === "") continue;
    if (!isEventId(id))
      throw new CommandError(`${file}, line ${line}: expected an event id, got ${text.slice(0, 60)}`, 2);
    ids.add(bytesOfEventId(id));
  }
  return ids;
}
