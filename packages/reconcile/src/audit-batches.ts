import { selectBatches } from "@tally/database";
import { textOfBatchId, type Domain, type SqlSnapshot } from "@tally/contract";
import type { Rankings } from "@tally/redis";
import { BatchMarks, isMarked } from "./batch-marks.ts";
import { Findings, type Found } from "./findings.ts";

/** Compares the ledger with the rows and with the marks, batch by batch. */
export interface BatchAudit {
  /** Rows. */
  readonly stored: number;
  /** Changes of batches that are marked on every shard. */
  readonly ranked: number;
  /** Batches whose number of rows differs from their ledger entry. */
  readonly miscounted: Found<Miscounted>;
  /** Batches of the ledger without a mark. */
  readonly unmarked: Found<string>;
  /** Marks without a batch in the ledger: the database has lost ranked batches. */
  readonly strayMarks: number;
}

interface Miscounted {
  readonly batch: string;
  readonly ledger: number;
  readonly rows: number;
}

export async function auditBatches(
  snapshot: SqlSnapshot,
  domain: Domain,
  rankings: Rankings,
  onProgress: (batches: number) => void,
): Promise<BatchAudit> {
  const marks = await rankings.marks(domain.name);
  const ledger = new BatchMarks();
  const changesOf = new Map<string, number>();
  const unmarked = new Findings<string>();
  let ranked = 0;
  let seen = 0;
  for await (const rows of snapshot.stream(selectBatches, [domain.name])) {
    for (const [producer, sequence, , changes] of rows) {
      ledger.set(producer, sequence);
      const id = batchOf(producer, sequence);
      changesOf.set(textOfBatchId(id), Number(changes));
      if (marks.every((shard) => isMarked(shard.get(id.producer), id.sequence))) ranked += Number(changes);
      else unmarked.add(textOfBatchId(id));
    }
    onProgress((seen += rows.length));
  }
  return { ranked, unmarked, strayMarks: ledger.countStray(marks), ...(await countRows(snapshot, domain, changesOf)) };
}

async function countRows(snapshot: SqlSnapshot, domain: Domain, changesOf: Map<string, number>) {
  const miscounted = new Findings<Miscounted>();
  let stored = 0;
  for await (const counts of snapshot.stream(domain.recount.rowsOfBatches)) {
    for (const [producer, sequence, count] of counts) {
      const batch = textOfBatchId(batchOf(producer, sequence));
      const rows = Number(count);
      const changes = changesOf.get(batch) ?? 0;
      stored += rows;
      changesOf.delete(batch);
      if (rows !== changes) miscounted.add({ batch, ledger: changes, rows });
    }
  }
  for (const [batch, changes] of changesOf) if (changes > 0) miscounted.add({ batch, ledger: changes, rows: 0 });
  return { stored, miscounted };
}

function batchOf(producer: unknown, sequence: unknown) {
  return { producer: Buffer.isBuffer(producer) ? producer.toString("hex") : "", sequence: Number(sequence) };
}
