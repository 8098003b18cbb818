import type { SqlParameter, SqlSnapshot } from "@tally/pipeline";
import type { Endpoint } from "./endpoint.ts";
import { rowsOf } from "./run-statement.ts";

// The server sorts sums over a hundred million rows before it sends the first one.
const silenceMs = 1_800_000;

/** Runs `work` on one snapshot: all its reads see the same moment. No retries. Closing the database ends it. Throws DatabaseError. */
export async function snapshot<T>(endpoint: Endpoint, work: (reader: SqlSnapshot) => Promise<T>): Promise<T> {
  const session = await endpoint.open({ abandonable: true });
  try {
    await session.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    await session.run("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
    const result = await work({
      query: async <Row extends object>(sql: string, values?: readonly SqlParameter[]) =>
        rowsOf<Row>(await session.run(sql, values)),
      stream: (sql, values) => session.stream(sql, values, silenceMs),
    });
    endpoint.worked();
    return result;
  } finally {
    await session.rollback();
    session.return();
  }
}
