import { setTimeout as delay } from "node:timers/promises";
import type { Sources } from "@tally/contract";
import type { Database } from "@tally/database";
import { rejection } from "../errors/catalogue.ts";
import { ClientError } from "../errors/reject.ts";

// A server that hangs in between. The first row may come after a look at all unfolded batches.
const silenceMs = 30_000;

/** Streams the rows of one SELECT at a time: it may take many seconds, and other requests need connections and the CPU.
 * Rejects with the database's error, and with READS_FULL when it has waited for `waitMs`. */
export function inTurns({ snapshot }: Pick<Database, "snapshot">, waitMs: number): Sources["stream"] {
  let last: Promise<unknown> = Promise.resolve();
  return async (sql, values, take) => {
    const { promise: own, resolve: end } = Promise.withResolvers<undefined>();
    const before = last;
    last = before.then(() => own);
    try {
      const isLate = await Promise.race([before, delay(waitMs, "late", { ref: false })]);
      if (isLate === "late") throw new ClientError(rejection("READS_FULL"));
      const work: Parameters<typeof snapshot>[1] = async (reader) => {
        for await (const rows of reader.stream(sql, values)) await take(rows);
      };
      await snapshot("read", work, { silenceMs });
    } finally {
      end(undefined);
    }
  };
}
