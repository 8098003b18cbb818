import type { Sources } from "@tally/contract";
import type { Database } from "@tally/database";
import { rejection } from "../errors/catalogue.ts";
import { ClientError } from "../errors/reject.ts";

const waitingMax = 10;

/** Streams the rows of one SELECT at a time: it may take many seconds, and other requests need connections and the CPU.
 * Rejects with the database's error, and with READS_FULL. */
export function streamRows({ snapshot }: Pick<Database, "snapshot">): Sources["stream"] {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return async (sql, values, take) => {
    if (waiting === waitingMax) throw new ClientError(rejection("READS_FULL"));
    waiting++;
    const streamed = last.then(() =>
      snapshot("read", async (reader) => {
        for await (const rows of reader.stream(sql, values)) await take(rows);
      }),
    );
    last = streamed.catch(() => undefined).finally(() => waiting--);
    await streamed;
  };
}
