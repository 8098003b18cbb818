import { createHash } from "node:crypto";
import { textOfBatchId, type BatchId, type SqlReader, type SqlTransaction } from "@tally/pipeline";

const selectKnown = "SELECT producer, sequence, body_hash, moves FROM batches WHERE (producer, sequence) IN (?)";
const insertEntries =
  "INSERT INTO batches (producer, sequence, domain, body_hash, events, changes, refused, stored_at, moves) VALUES ?";

// Along the index domain_time, behind the last row of the page before.
const selectPage = `
  SELECT producer, sequence, stored_at FROM batches
  WHERE domain = ? AND stored_at <= ? AND (stored_at > ? OR (stored_at = ? AND (producer, sequence) > (?, ?)))
  ORDER BY stored_at, producer, sequence LIMIT ?`;
const selectMoves =
  "SELECT producer, sequence, moves FROM batches WHERE (producer, sequence) IN (?) AND moves IS NOT NULL";
const updatePruned = "UPDATE batches SET moves = NULL WHERE (producer, sequence) IN (?) AND moves IS NOT NULL";
const selectTotals = `
  SELECT COUNT(*) AS batches, CAST(COALESCE(SUM(events), 0) AS UNSIGNED) AS events,
    CAST(COALESCE(SUM(changes), 0) AS UNSIGNED) AS changes, CAST(COALESCE(SUM(refused), 0) AS UNSIGNED) AS refused,
    COALESCE(MAX(stored_at), 0) AS newest
  FROM batches WHERE domain = ?`;

/** A batch as the ledger remembers it. */
export interface LedgerEntry {
  readonly batch: BatchId;
  readonly domain: string;
  readonly bodyHash: Buffer;
  /** How many events its message held. */
  readonly events: number;
  /** How many of them changed rows. */
  readonly changes: number;
  /** How many of them the database refused for their data: they are dead letters. */
  readonly refused: number;
  readonly storedAt: number;
  /** Its ranking message. */
  readonly moves: Buffer;
}

/** What a stored batch left behind; `moves` is undefined when it was applied so long ago that they were pruned. */
export interface KnownBatch {
  readonly bodyHash: Buffer;
  readonly moves: Buffer | undefined;
}

/** The folder of the ledger's numbered SQL files. */
export const ledgerMigrations = new URL("../migrations/", import.meta.url);

/** Eight bytes that tell two messages apart. About 20 µs for a message of 20 kB. */
export function hashOfBody(body: Buffer): Buffer {
  return createHash("sha256").update(body).digest().subarray(0, 8);
}

/** Those of some batches that are stored already, by textOfBatchId. One look-up in the clustered index for each. */
export async function findKnown(
  transaction: SqlTransaction,
  batches: readonly BatchId[],
): Promise<ReadonlyMap<string, KnownBatch>> {
  const rows = await transaction.query<{
    producer: Buffer;
    sequence: number;
    body_hash: Buffer;
    moves: Buffer | null;
  }>(selectKnown, [keysOf(batches)]);
  return new Map(
    rows.map((row) => [
      textOfBatchId({ producer: row.producer.toString("hex"), sequence: row.sequence }),
      { bodyHash: row.body_hash, moves: row.moves ?? undefined },
    ]),
  );
}

/** Enters batches, in the transaction that stores their events. "duplicate": another writer has entered one of them. */
export async function enter(
  transaction: SqlTransaction,
  entries: readonly LedgerEntry[],
): Promise<"inserted" | "duplicate"> {
  return transaction.insert(
    insertEntries,
    entries.map((entry) => [
      Buffer.from(entry.batch.producer, "hex"),
      entry.batch.sequence,
      entry.domain,
      entry.bodyHash,
      entry.events,
      entry.changes,
      entry.refused,
      entry.storedAt,
      entry.moves,
    ]),
  );
}

/** A place in the ledger, in the order of time. */
export interface LedgerPlace extends BatchId {
  readonly storedAt: number;
}

/** The place before everything that was stored from a time on. */
export function placeAt(storedAt: number): LedgerPlace {
  return { storedAt, producer: "0000000000000000", sequence: 0 };
}

/** The next batches of a domain behind a place, stored not later than `until` (ms since 1970), oldest first. */
export async function listBatches(
  reader: SqlReader,
  domain: string,
  behind: LedgerPlace,
  until: number,
  limit: number,
): Promise<readonly LedgerPlace[]> {
  const rows = await reader.query<{ producer: Buffer; sequence: number; stored_at: number }>(selectPage, [
    domain,
    until,
    behind.storedAt,
    behind.storedAt,
    Buffer.from(behind.producer, "hex"),
    behind.sequence,
    limit,
  ]);
  return rows.map((row) => ({
    producer: row.producer.toString("hex"),
    sequence: row.sequence,
    storedAt: row.stored_at,
  }));
}

/** The ranking messages of some batches, by textOfBatchId; without those that were pruned. */
export async function readMoves(reader: SqlReader, batches: readonly BatchId[]): Promise<ReadonlyMap<string, Buffer>> {
  if (batches.length === 0) return new Map();
  const rows = await reader.query<{ producer: Buffer; sequence: number; moves: Buffer }>(selectMoves, [
    keysOf(batches),
  ]);
  return new Map(
    rows.map((row) => [textOfBatchId({ producer: row.producer.toString("hex"), sequence: row.sequence }), row.moves]),
  );
}

/** Forgets the moves of batches that are surely in the rankings; answers how many. Repeating it changes nothing. */
export async function pruneMoves(transaction: SqlTransaction, batches: readonly BatchId[]): Promise<number> {
  return batches.length === 0 ? 0 : transaction.execute(updatePruned, [keysOf(batches)]);
}

/** What the ledger says of a domain, in numbers. */
export interface LedgerTotals {
  readonly batches: number;
  readonly events: number;
  readonly changes: number;
  readonly refused: number;
  /** When the newest batch was stored, in ms since 1970; 0 while there is none. */
  readonly newest: number;
}

/** Sums over all batches of a domain: a walk over the whole ledger, about a second for a million batches. */
export async function readTotals(reader: SqlReader, domain: string): Promise<LedgerTotals> {
  const [row] = await reader.query<LedgerTotals>(selectTotals, [domain]);
  return row ?? { batches: 0, events: 0, changes: 0, refused: 0, newest: 0 };
}

/** All batches of a domain for a stream: (producer, sequence, stored_at, changes), changes being how many rows are new. */
export const selectBatches = "SELECT producer, sequence, stored_at, changes FROM batches WHERE domain = ?";

function keysOf(batches: readonly BatchId[]): readonly (readonly [Buffer, number])[] {
  return batches.map((id) => [Buffer.from(id.producer, "hex"), id.sequence]);
}
