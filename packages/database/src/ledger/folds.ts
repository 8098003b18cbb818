import { setImmediate as immediate } from "node:timers/promises";
import { naturals, rangesOf, sliceOf, slicesOf, sumOfCounts, textOfBatchId } from "@tally/contract";
import { DatabaseError, UnexpectedState } from "../connection/database-error.ts";
import type { BatchId, RowRanges, SqlReader, SqlTransaction } from "@tally/contract";

/*
 * The ledger has a row for each batch with its ranking message. A batch that was ranked long ago is folded, in one
 * transaction: its rows are added to sums by member and key (folded_series), its numbers to the totals of its domain
 * (ledger_folds), it becomes one bit (folded_batches), and its ledger row is deleted. So the counts of a domain are
 * the folded counts and the rows of the batches in the ledger, whatever the date or the age of a row is, and the cost
 * of audit and rebuild does not grow with the number of folded rows.
 */

/** Sums of one domain, or of some of its batches. */
export interface LedgerTotals {
  readonly batches: number;
  readonly events: number;
  readonly changes: number;
  /** Events that became dead letters. */
  readonly refused: number;
  /** When the newest batch was stored, in ms since 1970; 0 without any. */
  readonly newest: number;
}

/** The totals of the folded batches. `epoch`: the last of them. */
export interface Fold extends LedgerTotals {
  readonly epoch: number;
}

/** A batch that is in the ledger. */
export interface LedgerBatch extends BatchId, Pick<LedgerTotals, "events" | "changes" | "refused"> {
  /** From joinEpoch, as storedAt is: ms since 1970 by the database's clock. */
  readonly epoch: number;
  readonly storedAt: number;
}

/** What a member's rows add to a series. */
interface MemberCounts {
  readonly series: string;
  readonly member: string;
  readonly cells: readonly (readonly [key: string | number, count: number])[];
}

const batchesPerPart = 8192;
const batchesPerStatement = 1000;
const membersPerStatement = 100;
const cellsPerStatement = 50_000;
// Of up to 37 characters: with the rows before it, a slice fits into one statement.
const cellsPerSlice = 100_000;

const selectFold = `
  SELECT epoch, batches, events, changes, refused, newest FROM ledger_folds WHERE domain = ?`;
// Set by migration 011 of purchases in a database that had folded before it.
const selectWithoutDays = "SELECT domain FROM ledger_folds WHERE series_from > 0";
const insertFolds =
  "INSERT IGNORE INTO ledger_folds (domain, epoch, batches, events, changes, refused, newest) VALUES ?";
const updateFold = `
  UPDATE ledger_folds SET epoch = GREATEST(epoch, ?), batches = batches + ?, events = events + ?,
    changes = changes + ?, refused = refused + ?, newest = GREATEST(newest, ?)
  WHERE domain = ?`;
const deleteBatches = "DELETE FROM batches WHERE (producer, sequence) IN (?)";
const selectParts = "SELECT producer, part, marks FROM folded_batches WHERE (domain, producer, part) IN (?)";
const replaceParts = `
  INSERT INTO folded_batches (domain, producer, part, marks) VALUES ? ON DUPLICATE KEY UPDATE marks = VALUES(marks)`;
const selectSlices = "SELECT series, member, slice, counts FROM folded_series WHERE (domain, series, member) IN (?)";
const replaceSlices = `
  INSERT INTO folded_series (domain, series, member, slice, counts) VALUES ?
  ON DUPLICATE KEY UPDATE counts = VALUES(counts)`;
const selectSeries = "SELECT DISTINCT series FROM folded_series WHERE domain = ?";

const producers: RowRanges["bounds"] = [Buffer.alloc(0), Buffer.alloc(8, 0xff)];

const columnsOfMarks = "producer, part * 1024, marks";
/** (producer, offset in bytes, marks) of a domain. */
export const foldedMarks = rangesOf(columnsOfMarks, "folded_batches", "producer", producers, "domain = ?");
/** (member, counts) of a series, the second `?`, each key of a member once. Counts are the text of [[key, count], …],
 * none 0. */
export const foldedCounts: RowRanges = {
  ...rangesOf("member, counts", "folded_series", "member", naturals, "domain = ? AND series = ?"),
  first: 100,
};

/** The names of the series that have folded counts. */
export async function foldedSeries(reader: SqlReader, domain: string): Promise<readonly string[]> {
  return (await reader.query<{ series: string }>(selectSeries, [domain])).map(({ series }) => series);
}

/** Adds the rows of domains that have none. May be repeated. Throws DatabaseError for counts that lack days. */
export async function addFolds(transaction: SqlTransaction, domains: readonly string[]): Promise<void> {
  const [broken] = await transaction.query<{ domain: string }>(selectWithoutDays);
  if (broken !== undefined) {
    const remedy = "export the events, and import them into a new database";
    throw new DatabaseError(
      "DATABASE_MIGRATION",
      `${broken.domain}: an early build folded batches without their days: ${remedy}`,
    );
  }
  await transaction.upsert(
    insertFolds,
    domains.map((domain) => [domain, 0, 0, 0, 0, 0, 0]),
  );
}

export async function readFold(reader: SqlReader, domain: string): Promise<Fold> {
  const [fold] = await reader.query<Fold>(selectFold, [domain]);
  return fold ?? { epoch: 0, batches: 0, events: 0, changes: 0, refused: 0, newest: 0 };
}

/** Returns those of the given batches that are folded, by textOfBatchId. */
export async function findFolded(
  reader: SqlReader,
  domain: string,
  batches: readonly BatchId[],
): Promise<ReadonlySet<string>> {
  if (batches.length === 0) return new Set();
  const parts = await readParts(reader, domain, batches);
  const isFolded = (batch: BatchId) => ((parts.get(partOf(batch))?.marks[byteOf(batch)] ?? 0) & bitOf(batch)) !== 0;
  return new Set(batches.filter(isFolded).map(textOfBatchId));
}

/** Another process has folded some of the batches: nothing was changed. */
export class FoldedMeanwhile extends Error {
  readonly code = "FOLDED_MEANWHILE";
}

export interface ToFold {
  readonly domain: string;
  readonly batches: readonly LedgerBatch[];
  /** What their rows add up to. */
  readonly counts: () => Iterable<MemberCounts>;
  readonly signal?: AbortSignal | undefined;
}

/** Throws FoldedMeanwhile, also when it is repeated after a commit, and the reason of `signal`. */
export async function foldBatches(
  transaction: SqlTransaction,
  { domain, batches, counts, signal }: ToFold,
): Promise<void> {
  const { epoch, batches: number, events, changes, refused, newest } = totalsOf(batches);
  const values = [epoch, number, events, changes, refused, newest, domain];
  // First, because it locks the row until the end: one process at a time.
  if ((await transaction.execute(updateFold, values)) !== 1)
    throw new UnexpectedState(`ledger_folds has no row of ${domain}: run "tally migrate"`);
  let deleted = 0;
  for (let at = 0; at < batches.length; at += batchesPerStatement) {
    signal?.throwIfAborted();
    const some = batches.slice(at, at + batchesPerStatement);
    const keys = some.map(({ producer, sequence }) => [Buffer.from(producer, "hex"), sequence]);
    deleted += await transaction.execute(deleteBatches, [keys]);
  }
  if (deleted !== batches.length) throw new FoldedMeanwhile(`${domain}: ${batches.length - deleted} batches`);
  const parts = await readParts(transaction, domain, batches);
  for (const batch of batches) {
    const { marks } = parts.get(partOf(batch)) ?? {};
    marks?.writeUInt8(marks.readUInt8(byteOf(batch)) | bitOf(batch), byteOf(batch));
  }
  await transaction.upsert(
    replaceParts,
    Array.from(parts.values(), ({ producer, part, marks }) => [domain, producer, part, marks]),
  );
  let [some, cells]: [MemberCounts[], number] = [[], 0];
  const add = async (): Promise<void> => {
    signal?.throwIfAborted();
    await addCounts(transaction, domain, some);
    [some, cells] = [[], 0];
  };
  for (const one of counts()) {
    some.push(one);
    cells += one.cells.length;
    if (some.length === membersPerStatement || cells > cellsPerStatement) await add();
  }
  await add();
}

async function addCounts(transaction: SqlTransaction, domain: string, members: readonly MemberCounts[]): Promise<void> {
  if (members.length === 0) return;
  type Sum = Record<"series" | "member", string> & { slices: readonly number[]; own: Map<number, number> };
  const sums = new Map<string, Readonly<Sum>>();
  // As in Redis: doubles are exact up to there.
  const add = (own: Map<number, number>, key: number, count: number) => own.set(key, sumOfCounts(own.get(key), count));
  for (const { series, member, cells } of members) {
    for (const [text, count] of cells) {
      const key = Number(text);
      const name = [series, member, sliceOf(series, key)].join();
      const sum = sums.get(name) ?? { series, member, slices: slicesOf(series, key), own: new Map() };
      sums.set(name, sum);
      add(sum.own, key, count);
    }
  }
  const keys = members.map(({ series, member }) => [domain, series, member]);
  type Row = Record<"series" | "counts", string> & Record<"member" | "slice", number>;
  const rows = await transaction.query<Row>(selectSlices, [keys]);
  const before = Map.groupBy(rows, ({ series, member, slice }) => [series, member, sliceOf(series, slice)].join());
  const after: (readonly (string | number)[])[] = [];
  for (const [name, { series, member, slices, own }] of sums) {
    // A slice may have 10,000 counts: other work of the thread runs in between.
    await immediate();
    const stored = before.get(name) ?? [];
    for (const row of stored) {
      const cells: unknown = JSON.parse(row.counts);
      if (Array.isArray(cells)) for (const [id, count] of cells) add(own, Number(id), Number(count));
    }
    const counts = [...own].filter(([, count]) => count !== 0).map(([id, count]) => `[${id},${count}]`);
    if (counts.length > slices.length * cellsPerSlice)
      throw new Error(`${domain}: a slice of member ${member} has ${counts.length} counts, too many to be folded`);
    const parts = Math.max(1, stored.length, Math.ceil(counts.length / cellsPerSlice));
    for (const [part, slice] of slices.slice(0, parts).entries()) {
      const some = counts.slice(part * cellsPerSlice, (part + 1) * cellsPerSlice);
      after.push([domain, series, member, slice, `[${some.join()}]`]);
    }
  }
  await transaction.upsert(replaceSlices, after);
}

function totalsOf(batches: readonly LedgerBatch[]): Fold {
  const sum = (of: (batch: LedgerBatch) => number) => batches.reduce((total, batch) => total + of(batch), 0);
  return {
    epoch: batches.reduce((last, { epoch }) => Math.max(last, epoch), 0),
    batches: batches.length,
    events: sum(({ events }) => events),
    changes: sum(({ changes }) => changes),
    refused: sum(({ refused }) => refused),
    newest: batches.reduce((last, { storedAt }) => Math.max(last, storedAt), 0),
  };
}

interface Part {
  readonly producer: Buffer;
  readonly part: number;
  /** 1024 bytes. */
  readonly marks: Buffer;
}

/** The parts of the given batches, by partOf; those without a row are empty. */
async function readParts(
  reader: SqlReader,
  domain: string,
  batches: readonly BatchId[],
): Promise<ReadonlyMap<string, Part>> {
  const parts = new Map<string, Part>();
  for (const batch of batches) {
    const part = Math.floor(batch.sequence / batchesPerPart);
    const producer = Buffer.from(batch.producer, "hex");
    if (!parts.has(partOf(batch)))
      parts.set(partOf(batch), { producer, part, marks: Buffer.alloc(batchesPerPart / 8) });
  }
  const keys = Array.from(parts.values(), ({ producer, part }) => [domain, producer, part]);
  for (const { producer, part, marks } of await reader.query<Part>(selectParts, [keys]))
    marks.copy(parts.get(`${producer.toString("hex")}:${part}`)?.marks ?? Buffer.alloc(0));
  return parts;
}

const partOf = ({ producer, sequence }: BatchId): string => `${producer}:${Math.floor(sequence / batchesPerPart)}`;
const byteOf = ({ sequence }: BatchId): number => (sequence % batchesPerPart) >>> 3;
const bitOf = ({ sequence }: BatchId): number => 0x80 >>> (sequence & 7);
