import { createHash } from "node:crypto";
import { naturals, rangesOf, textOfBatchId } from "@tally/contract";
import type { BatchId, SqlReader, SqlTransaction } from "@tally/contract";
import { addEpochs } from "./epochs.ts";
import { addFolds, findFolded, type LedgerBatch } from "./folds.ts";

const selectStored = "SELECT producer, sequence, body_hash, moves FROM batches WHERE (producer, sequence) IN (?)";
const insertEntries =
  "INSERT INTO batches (producer, sequence, domain, body_hash, events, changes, refused, epoch, stored_at, moves) VALUES ?";

// A page begins after the last row of the previous one, by the index: as (producer, sequence) > (?, ?) it would read the
// epoch from its beginning, 300 ms for 200,000 batches.
const selectPage = `
  SELECT producer, sequence, epoch, stored_at AS storedAt, events, changes, refused FROM batches FORCE INDEX (domain_epoch)
  WHERE domain = ? AND epoch <= ?
    AND (epoch > ? OR (epoch = ? AND (producer > ? OR (producer = ? AND sequence > ?))))
  ORDER BY epoch, producer, sequence LIMIT ?`;
const selectIds = "SELECT producer, sequence FROM batches WHERE (producer, sequence) IN (?)";
const selectMessages =
  "SELECT producer, sequence, moves FROM batches WHERE (producer, sequence) IN (?) AND moves IS NOT NULL";

// Both read one entry of the index domain_time. One statement for all domains, with GROUP BY, would read the whole
// index: 20 ms for 40,000 batches.
const selectNewest = `
  SELECT ? AS domain, COALESCE(
    (SELECT MAX(stored_at) FROM batches WHERE domain = ?),
    (SELECT NULLIF(newest, 0) FROM ledger_folds WHERE domain = ?)) AS storedAt`;
const selectNext = "SELECT MIN(stored_at) AS storedAt FROM batches WHERE domain = ? AND stored_at > ?";

export interface LedgerEntry extends Omit<LedgerBatch, keyof BatchId> {
  readonly batch: BatchId;
  readonly domain: string;
  readonly bodyHash: Buffer;
  readonly rankingMessage: Buffer;
}

export const ledgerMigrations = new URL("./migrations/", import.meta.url);

/** Eight bytes that identify the content of a message. About 20 µs for 20 kB. */
export function hashOfBody(body: Buffer): Buffer {
  return createHash("sha256").update(body).digest().subarray(0, 8);
}

/** Returns the given batches that are in the ledger, by textOfBatchId. One lookup in the clustered index for each.
 * Without a ranking message: an earlier release has removed it. */
export async function findStored(
  transaction: SqlTransaction,
  batches: readonly BatchId[],
): Promise<ReadonlyMap<string, { readonly bodyHash: Buffer; readonly rankingMessage: Buffer | undefined }>> {
  const rows = await transaction.query<IdRow & { body_hash: Buffer; moves: Buffer | null }>(selectStored, [
    keysOf(batches),
  ]);
  return new Map(rows.map((row) => [keyOf(row), { bodyHash: row.body_hash, rankingMessage: row.moves ?? undefined }]));
}

/** In the transaction that stores their events. "duplicate": another writer entered one; nothing was entered. */
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
      entry.epoch,
      entry.storedAt,
      entry.rankingMessage,
    ]),
  );
}

/** A place in the ledger, which is in the order of epochs. */
export interface LedgerPlace extends BatchId {
  readonly epoch: number;
}

/** The place before all batches of an epoch. */
export function placeAt(epoch: number): LedgerPlace {
  return { epoch, producer: "0000000000000000", sequence: 0 };
}

/** Returns the next batches of a domain after `behind`, of epochs up to `until`, in the order of the ledger. */
export async function listBatches(
  reader: SqlReader,
  domain: string,
  behind: LedgerPlace,
  until: number,
  limit: number,
): Promise<readonly LedgerBatch[]> {
  const { epoch, producer, sequence } = behind;
  const bytes = Buffer.from(producer, "hex");
  const place = [epoch, epoch, bytes, bytes, sequence];
  const rows = await reader.query<IdRow & Omit<LedgerBatch, "producer">>(selectPage, [domain, until, ...place, limit]);
  return rows.map((row) => Object.assign(row, idOf(row)));
}

/** Returns those of the given batches that are neither in the ledger nor folded. One or two lookups for each. */
export async function findMissing(
  reader: SqlReader,
  domain: string,
  batches: readonly BatchId[],
): Promise<readonly BatchId[]> {
  if (batches.length === 0) return [];
  const found = new Set((await reader.query<IdRow>(selectIds, [keysOf(batches)])).map(keyOf));
  const others = batches.filter((batch) => !found.has(textOfBatchId(batch)));
  const folded = await findFolded(reader, domain, others);
  return others.filter((batch) => !folded.has(textOfBatchId(batch)));
}

/** Returns the ranking messages of the given batches, by textOfBatchId, unless an earlier release has removed them. */
export async function readRankingMessages(
  reader: SqlReader,
  batches: readonly BatchId[],
): Promise<ReadonlyMap<string, Buffer>> {
  if (batches.length === 0) return new Map();
  const rows = await reader.query<IdRow & { moves: Buffer }>(selectMessages, [keysOf(batches)]);
  return new Map(rows.map((row) => [keyOf(row), row.moves]));
}

/** In ms since 1970; without domains that have none. One index lookup for each, all at once. */
export async function newestStored(
  reader: SqlReader,
  domains: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (domains.length === 0) return new Map();
  const newest = await reader.query<{ domain: string; storedAt: number | null }>(
    domains.map(() => selectNewest).join(" UNION ALL "),
    domains.flatMap((domain) => [domain, domain, domain]),
  );
  return new Map(newest.flatMap(({ domain, storedAt }) => (storedAt === null ? [] : [[domain, storedAt]])));
}

/** When the first batch after `at` was stored, in ms since 1970; undefined: none. */
export async function nextStored(reader: SqlReader, domain: string, at: number): Promise<number | undefined> {
  const [row] = await reader.query<{ storedAt: number | null }>(selectNext, [domain, at]);
  return row?.storedAt ?? undefined;
}

// By an index: the primary key would read the batches of all domains.
const byTime = "batches FORCE INDEX (domain_time)";
const columns = "producer, sequence, changes, events, refused, stored_at";
/** The columns of a domain's rows. `changes`: rows that were new or replaced. */
export const rowsOfLedger = rangesOf(columns, byTime, "stored_at", naturals, "domain = ?");

function keysOf(batches: readonly BatchId[]): readonly (readonly [Buffer, number])[] {
  return batches.map((id) => [Buffer.from(id.producer, "hex"), id.sequence]);
}

interface IdRow {
  readonly producer: Buffer;
  readonly sequence: number;
}

function idOf({ producer, sequence }: IdRow): BatchId {
  return { producer: producer.toString("hex"), sequence };
}

function keyOf(row: IdRow): string {
  return textOfBatchId(idOf(row));
}

const insertDomains = "INSERT INTO ranking_shards (domain) VALUES ? ON DUPLICATE KEY UPDATE shards = shards";
const selectShards = "SELECT shards FROM ranking_shards WHERE domain = ?";
const updateShards = "UPDATE ranking_shards SET shards = ? WHERE domain = ?";

/** Adds the rows of domains that have none. May be repeated. */
export async function addDomains(transaction: SqlTransaction, domains: readonly string[]): Promise<void> {
  await addEpochs(transaction, domains);
  await addFolds(transaction, domains);
  await transaction.upsert(
    insertDomains,
    domains.map((domain) => [domain]),
  );
}

/** The number of shards that the rankings of a domain had last; undefined: they were never built. One lookup. */
export async function readShards(reader: SqlReader, domain: string): Promise<number | undefined> {
  const [row] = await reader.query<{ shards: number | null }>(selectShards, [domain]);
  return row?.shards ?? undefined;
}

/** Keeps the number of shards of a domain that has a row. May be repeated. */
export async function keepShards(transaction: SqlTransaction, domain: string, shards: number): Promise<void> {
  await transaction.execute(updateShards, [shards, domain]);
}
