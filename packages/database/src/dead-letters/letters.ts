import { bytesOfEventId, eventIdOfBytes, type SqlReader, type SqlTransaction } from "@tally/contract";
import type { DeadLetter, LetterState, NewLetter, Stage } from "./dead-letter.ts";

export const deadLetterMigrations = new URL("./migrations/", import.meta.url);

// A replayed letter that fails again becomes open, except a conflict: its replay is stored, and only the client's retry
// arrived again. A discarded letter stays discarded. died_at always increases, so a reader can detect a repeat.
const insertLetters = `
  INSERT INTO dead_letters (id, domain, stage, queue, message_id, reason, died_at, body, state) VALUES ?
  ON DUPLICATE KEY UPDATE
    state = IF(state = 'replayed' AND VALUES(stage) <> 'conflict', 'open', state),
    reason = VALUES(reason),
    died_at = GREATEST(died_at + 1, VALUES(died_at))`;
const columns = "id, domain, stage, queue, message_id AS messageId, reason, died_at AS diedAt, body, state";
const selectSome = `
  SELECT ${columns} FROM dead_letters
  WHERE (? IS NULL OR domain = ?) AND (? IS NULL OR stage = ?) AND (? IS NULL OR state = ?)
    AND died_at >= ? AND died_at <= ? AND LOCATE(?, reason) > 0
  ORDER BY died_at, id LIMIT ?`;
// Without the bodies, which may have 16 MB each.
const headColumns = "id, domain, stage, queue, message_id AS messageId, reason, died_at AS diedAt, state";
// The newest first: both columns in one direction, so that an index is read backwards and nothing is sorted.
const selectHeads = `
  SELECT ${headColumns} FROM dead_letters
  WHERE (? IS NULL OR domain = ?) AND (? IS NULL OR stage = ?) AND (? IS NULL OR state = ?)
  ORDER BY died_at DESC, id DESC LIMIT ?`;
const selectHead = `SELECT ${headColumns} FROM dead_letters WHERE id = ?`;
const selectByIds = `SELECT ${columns} FROM dead_letters WHERE id IN (?) ORDER BY died_at, id`;
const updateState = "UPDATE dead_letters SET state = ? WHERE id = ? AND state <> ? AND died_at = ?";
// Each state ends at the maximum: 10,000 entries of an index take about 2 ms.
const countedMax = 10_000;
const states = ["open", "replayed", "discarded"] as const satisfies readonly LetterState[];
const selectCounts = states
  .map(
    (state) => `
  SELECT '${state}' AS state, COUNT(*) AS letters
  FROM (SELECT 1 AS letter FROM dead_letters WHERE state = '${state}' LIMIT ${countedMax}) AS of_${state}`,
  )
  .join(" UNION ALL ");

// A body that is too long for one statement is written in parts.
const updateBody = "UPDATE dead_letters SET body = ? WHERE id = ?";
const updateBodyLonger = "UPDATE dead_letters SET body = CONCAT(body, ?) WHERE id = ?";

const reasonCharactersMax = 1000;
const shortBytesMax = 4000;
const partBytesMax = 1_000_000;

/** Selects letters; an absent field matches all. */
export interface LetterFilter {
  readonly domain?: string | undefined;
  readonly stage?: Stage | undefined;
  readonly state?: LetterState | undefined;
  /** ms since 1970, both included. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** A part of the reason. */
  readonly reason?: string | undefined;
}

type Row = Omit<DeadLetter, "id"> & { readonly id: Buffer };
type HeadRow = Omit<Row, "body">;

/** Stores letters. Repeating it changes only their time, and opens replayed ones. */
export async function keepLetters(transaction: SqlTransaction, letters: readonly NewLetter[]): Promise<void> {
  if (letters.length === 0) return;
  const now = Date.now();
  const rows = letters.map((letter) => [
    bytesOfEventId(letter.id),
    letter.domain,
    letter.stage,
    letter.queue,
    letter.messageId,
    letter.reason.slice(0, reasonCharactersMax),
    now,
    letter.body.subarray(0, shortBytesMax),
    "open",
  ]);
  await transaction.execute(insertLetters, [rows]);
  for (const { id, body } of letters) {
    for (let at = 0; at < body.length && body.length > shortBytesMax; at += partBytesMax) {
      const part = body.subarray(at, at + partBytesMax);
      await transaction.execute(at === 0 ? updateBody : updateBodyLonger, [part, bytesOfEventId(id)]);
    }
  }
}

/** Returns the letters that match a filter, oldest first. */
export async function listLetters(
  reader: SqlReader,
  filter: LetterFilter,
  limit: number,
): Promise<readonly DeadLetter[]> {
  const { domain = null, stage = null, state = null, since = 0, until = Number.MAX_SAFE_INTEGER, reason = "" } = filter;
  const values = [domain, domain, stage, stage, state, state, since, until, reason, limit];
  return (await reader.query<Row>(selectSome, values)).map(letterOf);
}

export type LetterHead = Omit<DeadLetter, "body">;

/** Returns the newest letters that match, newest first. */
export async function newestLetters(
  reader: SqlReader,
  filter: Pick<LetterFilter, "domain" | "stage" | "state">,
  limit: number,
): Promise<readonly LetterHead[]> {
  const { domain = null, stage = null, state = null } = filter;
  const values = [domain, domain, stage, stage, state, state, limit];
  return (await reader.query<HeadRow>(selectHeads, values)).map(headOf);
}

/** Returns a letter without its content; undefined for an unknown id. */
export async function findLetterHead(reader: SqlReader, id: string): Promise<LetterHead | undefined> {
  const [row] = await reader.query<HeadRow>(selectHead, [bytesOfEventId(id)]);
  return row && headOf(row);
}

/** Returns the letters with the given ids, oldest first; unknown ids are left out. */
export async function findLetters(reader: SqlReader, ids: readonly string[]): Promise<readonly DeadLetter[]> {
  if (ids.length === 0) return [];
  return (await reader.query<Row>(selectByIds, [ids.map((id) => bytesOfEventId(id))])).map(letterOf);
}

/** The number of letters in each state, up to 10,000: that many or more. Some ms, however many there are. */
export async function countLetters(reader: SqlReader): Promise<Readonly<Record<LetterState, number>>> {
  const rows = await reader.query<{ state: LetterState; letters: number }>(selectCounts);
  return {
    open: 0,
    replayed: 0,
    discarded: 0,
    ...Object.fromEntries(rows.map(({ state, letters }) => [state, letters])),
  };
}

/** Returns false and changes nothing if the letter has that state, or arrived again after it was read. */
export async function settleLetter(
  transaction: SqlTransaction,
  { id, diedAt }: Pick<DeadLetter, "id" | "diedAt">,
  state: "replayed" | "discarded",
): Promise<boolean> {
  return (await transaction.execute(updateState, [state, bytesOfEventId(id), state, diedAt])) > 0;
}

/** The number of conflicts of a domain in each state: (state, letters). */
export const selectConflicts =
  "SELECT state, COUNT(*) FROM dead_letters WHERE domain = ? AND stage = 'conflict' GROUP BY state";

/** The ids of a domain's events that are dead letters and not stored, for a stream: (id). */
export const selectKeptEvents =
  "SELECT id FROM dead_letters WHERE domain = ? AND stage = 'event' AND state <> 'replayed'";

function headOf(row: HeadRow): LetterHead {
  return { ...row, id: eventIdOfBytes(row.id) };
}

function letterOf(row: Row): DeadLetter {
  return { ...row, id: eventIdOfBytes(row.id) };
}
