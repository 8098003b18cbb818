import { selectKeptEvents } from "@tally/database";
import { eventIdOfBytes, type Domain, type SqlSnapshot } from "@tally/contract";
import { Findings, type Found } from "./findings.ts";
import type { IdSet } from "./id-set.ts";

/** Compares the ids of acknowledged events with the rows. */
export interface IdAudit {
  /** Rows with such an id, each id once. */
  readonly stored: number;
  /** Such ids that are not stored but kept as dead letters. */
  readonly deadLetters: number;
  /** Rows whose id another row has too. */
  readonly doubled: number;
  /** Rows with other ids: their clients got no response, or another list has them. */
  readonly others: Found<string>;
}

/** Ticks off every stored id. Ids without a tick after all domains are not stored. */
export async function auditIds(
  snapshot: SqlSnapshot,
  domain: Domain,
  acknowledged: IdSet,
  onProgress: (rows: number) => void,
): Promise<IdAudit> {
  const others = new Findings<string>();
  let stored = 0;
  let doubled = 0;
  let seen = 0;
  for await (const rows of snapshot.stream(domain.recount.ids)) {
    for (const [id] of rows) {
      if (!Buffer.isBuffer(id)) throw new TypeError(`${domain.name}: recount.ids must return ids of 16 bytes`);
      const found = acknowledged.tick(id);
      if (found === "ticked") stored++;
      else if (found === "again") doubled++;
      else others.add(eventIdOfBytes(id));
    }
    onProgress((seen += rows.length));
  }
  let deadLetters = 0;
  for await (const rows of snapshot.stream(selectKeptEvents, [domain.name])) {
    for (const [id] of rows) if (Buffer.isBuffer(id) && acknowledged.tick(id) === "ticked") deadLetters++;
  }
  return { stored, deadLetters, doubled, others };
}
