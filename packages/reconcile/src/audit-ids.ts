import { selectKeptEvents } from "@tally/dead-letters";
import { eventIdOfBytes, type Domain, type SqlSnapshot } from "@tally/pipeline";
import { Findings, type Found } from "./findings.ts";
import type { IdSet } from "./id-set.ts";

/** The ids of events that clients were answered 2xx for, against the rows. */
export interface IdAudit {
  /** Rows whose id is among them, each once. */
  readonly stored: number;
  /** Among them, not stored, and kept as dead letters. */
  readonly deadLetters: number;
  /** Rows with an id that another row has too. */
  readonly doubled: number;
  /** Rows that are not among them: their clients were answered nothing, or another list has them. */
  readonly others: Found<string>;
}

/** Ticks off every stored id. What stays unticked, after all domains, is not stored. */
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
      if (!Buffer.isBuffer(id)) throw new TypeError(`${domain.name}: recount.ids must answer ids of 16 bytes`);
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
