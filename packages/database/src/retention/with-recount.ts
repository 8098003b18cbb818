import type { Database } from "../connection/connect-database.ts";
import type { Domain, Recount, SqlSnapshot } from "@tally/contract";
import { wasEverRemoved } from "./retained-from.ts";

/** The parts of a domain that say how its boards follow from its rows. */
export interface Recounted<R extends Partial<Recount> = Recount> {
  readonly name: string;
  readonly recount: R;
  readonly retention?:
    | (Pick<NonNullable<Domain["retention"]>, "table" | "leaving"> & { readonly recount: R })
    | undefined;
}

/**
 * Runs `work` on a snapshot, with the recount that is valid in it: of the rows, or, where months were removed, of rows and base. Until `work` ends
 * no month of the domain can be moved on that server. No retries. Throws DatabaseError.
 */
export async function withRecount<R extends Partial<Recount>, T>(
  database: Pick<Database, "snapshot">,
  endpoint: "read" | "write",
  { name, recount, retention }: Recounted<R>,
  work: (snapshot: SqlSnapshot, recount: R) => Promise<T>,
): Promise<T> {
  if (retention === undefined) return database.snapshot(endpoint, (snapshot) => work(snapshot, recount));
  // Both tables in one statement: a statement that waits for its first table holds none, so it cannot deadlock with an exchange of the two.
  const holding = `SELECT 1 FROM ${retention.table}, ${retention.leaving} WHERE 1 = 0`;
  return database.snapshot(
    endpoint,
    async (snapshot) => work(snapshot, (await wasEverRemoved(snapshot, name)) ? retention.recount : recount),
    { holding },
  );
}
