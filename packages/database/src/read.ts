import { setTimeout as sleep } from "node:timers/promises";
import { backOffMs } from "@tally/failures";
import { DatabaseError } from "./database-error.ts";
import { awayBackOff, type Endpoint } from "./endpoint.ts";
import { rowsOf } from "./query-result.ts";
import type { SqlParameter } from "@tally/pipeline";

/** One SELECT outside of a transaction. A lost connection is tried again shortly; a time-out is not, its caller has waited enough. */
export async function read<Row extends object>(
  endpoint: Endpoint,
  sql: string,
  values?: readonly SqlParameter[],
): Promise<readonly Row[]> {
  for (let failures = 1; ; failures++) {
    try {
      const rows = rowsOf<Row>(await attempt(endpoint, sql, values));
      endpoint.health.worked();
      return rows;
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.kind !== "unavailable") throw error;
      endpoint.health.failed(error);
      if (error.code !== "DATABASE_UNAVAILABLE" || failures === attemptsMax) throw error;
      await sleep(backOffMs(failures, awayBackOff));
    }
  }
}

async function attempt(endpoint: Endpoint, sql: string, values?: readonly SqlParameter[]) {
  const session = await endpoint.open();
  try {
    return await session.run(sql, values);
  } finally {
    session.return();
  }
}

const attemptsMax = 3;
