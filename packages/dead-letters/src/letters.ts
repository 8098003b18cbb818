import { bytesOfEventId, eventIdOfBytes, type SqlReader, type SqlTransaction } from "@tally/pipeline";
import type { DeadLetter, LetterState, NewLetter, Stage } from "./dead-letter.ts";

/** The folder of the numbered SQL files. */
export const deadLetterMigrations = new URL("../migrations/", import.meta.url);

// A replayed letter that fails again becomes open, except a conflict: its replay is stored, and only the client's retry arrived again. A discarded
// letter stays discarded. died_at always increases, so a reader can detect a repeat.
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
// The newest first, without their bodies, which may have 16 MB each.
const selectHeads = `
  SELECT id, domain, stage, queue, message_id AS messageId, reason, died_at AS diedAt, state FROM dead_letters
  WHERE (? IS NULL OR domain = ?) AND (? IS NULL OR stage = ?) AND (? IS NULL OR state = ?)
  ORDER BY died_at DESC, id LIMIT ?`;
const selectByIds = `SELECT ${columns} FROM dead_letters WHERE id IN (?) ORDER BY died_at, id`;
const updateState = "UPDATE dead_letters SET state = ? WHERE id = ? AND state <> ? AND died_at = ?";
const selectCounts = "SELECT state, COUNT(*) AS letters FROM dead_letters GROUP BY state";

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

/** A letter without its content. */
export type LetterHead = Omit<DeadLetter, "body">;

/** Returns the newest letters that match, newest first. */
export async function newestLetters(
  reader: SqlReader,
  filter: Pick<LetterFilter, "domain" | "stage" | "state">,
  limit: number,
): Promise<readonly LetterHead[]> {
  const { domain = null, stage = null, state = null } = filter;
  const values = [domain, domain, stage, stage, state, state, limit];
  const rows = await reader.query<Omit<Row, "body">>(selectHeads, values);
  return rows.map((row) => Object.assign(row, { id: eventIdOfBytes(row.id) }));
}

/** Returns the letters with the given ids, oldest first; unknown ids are left out. */
export async function findLetters(reader: SqlReader, ids: readonly string[]): Promise<readonly DeadLetter[]> {
  if (ids.length === 0) return [];
  return (await reader.query<Row>(selectByIds, [ids.map((id) => bytesOfEventId(id))])).map(letterOf);
}

/** The number of letters in each state. Reads an index of all letters: some ms for 10,000. */
export async function countLetters(reader: SqlReader): Promise<Readonly<Record<LetterState, number>>> {
  const rows = await reader.query<{ state: LetterState; letters: number }>(selectCounts);
  return {
    open: 0,
    replayed: 0,
    discarded: 0,
    ...Object.fromEntries(rows.map(({ state, letters }) => [state, letters])),
  };
}

/** Sets the state of a letter. Returns false and changes nothing if it already has that state, or arrived again after it was read. */
export async function settleLetter(
  transaction: SqlTransaction,
  { id, diedAt }: DeadLetter,
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

function letterOf(row: Row): DeadLetter {
  return { ...row, id: eventIdOfBytes(row.id) };
}
