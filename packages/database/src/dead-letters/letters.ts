import { createHash } from "node:crypto";
import { encodeBatch, encodeEvent, eventIdOfBytes, eventIdOfKey, packEvent, queuesOf } from "@tally/contract";
import { textOfBatchId, unpackEvent, withBatchId, bytesOfEventId } from "@tally/contract";
import type { BatchIds, Event, Refusal, SqlParameter, SqlReader, SqlTransaction } from "@tally/contract";
import { clockOf } from "../ledger/epochs.ts";

/** rejected: an event, for its data or by the rows. conflict: its key has other content. message: undecodable. delivery:
 * given up. */
export type Stage = "rejected" | "conflict" | "message" | "delivery";

/** open: waits for a decision. parked: waits for another event. replayed: sent again. discarded: kept, not sent again.
 */
export type LetterState = "open" | "parked" | "replayed" | "discarded";

/** An event or a message that cannot be stored as it is. */
export interface NewLetter {
  /** A UUID. A letter that comes again has the same id. */
  readonly id: string;
  readonly domain: string;
  readonly stage: Stage;
  readonly queue: string;
  /** The id of a message, which a replay uses again; for a conflict the id of the stored event; empty for an event. */
  readonly messageId: string;
  readonly reason: string;
  /** The event as packEvent writes it: JSON, then its bytes; or the unchanged message. */
  readonly body: Buffer;
  /** The id of the event that it waits for: it is parked. */
  readonly waitsFor?: string | undefined;
}

export interface DeadLetter extends NewLetter {
  /** When it last came, in ms since 1970. */
  readonly diedAt: number;
  readonly state: LetterState;
}

/** An event that the database rejects for its data, or that the rows do not admit. */
export function letterOfEvent(domain: string, queue: string, event: Event, refusal: Refusal): NewLetter {
  const body = packEvent(encodeEvent(event));
  return { id: event.id, domain, stage: "rejected", queue, messageId: "", body, ...refusal };
}

export const keyReusedReason = "key reused with different content";

/** Ends the reason of a letter that is a whole batch: two producers had the same id. */
export const foreignBatchReason = "is in the ledger with other content";

/** The letter's id is made of key and content: each content is one letter. A replay stores the event under that id. */
export function letterOfConflict(domain: string, queue: string, event: Event, content: string): NewLetter {
  const id = eventIdOfKey(`${domain}/${event.id}`, content);
  const letter = letterOfEvent(domain, queue, { ...event, id }, { reason: keyReusedReason });
  return { ...letter, stage: "conflict", messageId: event.id };
}

// A row must fit MariaDB's default packet of 16 MiB; RabbitMQ 4 takes messages of 16 MiB at most.
const bodyBytesMax = 16_000_000;

/** Over 16 MB only the beginning is kept, and the reason states it. */
export function letterOfMessage(
  letter: Omit<NewLetter, "id" | "stage"> & { readonly stage: "message" | "delivery" },
): NewLetter {
  const { queue, messageId, reason, body } = letter;
  const hash = createHash("sha256").update(`${queue}\0${messageId}\0`).update(body).digest();
  const id = eventIdOfBytes(hash.subarray(0, 16));
  if (body.length <= bodyBytesMax) return { ...letter, id };
  const cut = `the first ${bodyBytesMax} of ${body.length} bytes; ${reason}`;
  return { ...letter, id, reason: cut, body: body.subarray(0, bodyBytesMax) };
}

/** Otherwise it holds a whole message. */
export function holdsEvent({ stage }: Pick<DeadLetter, "stage">): boolean {
  return stage === "rejected" || stage === "conflict";
}

/** The message that sends a letter again. Harmless to repeat, because an event keeps its id, and a message its batch. A
 * batch whose id belongs to another one, or to none, gets a new id: under its own it would become the same letter
 * again. `eventVersion`: of the domain, for a single event, whose own version may be an earlier one. */
export function replayOf(
  letter: DeadLetter,
  namespace: string,
  batches: BatchIds,
  eventVersion: number,
): { readonly queue: string; readonly messageId: string; readonly body: Buffer } {
  const { ingest, rank } = queuesOf(namespace, letter.domain);
  const queue = letter.queue === rank.name ? rank.name : ingest.name;
  const hasForeignId = letter.reason.endsWith(foreignBatchReason) || letter.reason.startsWith("sequence: ");
  const isForeign = letter.stage === "message" && hasForeignId;
  if (!holdsEvent(letter) && !isForeign) return { queue, messageId: letter.messageId, body: letter.body };
  const batch = batches.next();
  const messageId = textOfBatchId(batch);
  if (isForeign) return { queue, messageId, body: withBatchId(letter.body, batch) };
  const body = encodeBatch(batch, Date.now(), [unpackEvent(letter.body)], eventVersion);
  return { queue, messageId, body };
}

export const deadLetterMigrations = new URL("./migrations/", import.meta.url);

// A replayed letter that fails again becomes open, except a conflict: its replay is stored, and only the client's retry
// arrived again. A discarded letter stays discarded. died_at always increases, so a reader can detect a repeat.
const insertLetters = `
  INSERT INTO dead_letters (id, domain, stage, queue, message_id, reason, died_at, body, state, waits_for) VALUES ?
  ON DUPLICATE KEY UPDATE
    state = IF(state = 'discarded' OR VALUES(stage) = 'conflict', state, VALUES(state)),
    waits_for = VALUES(waits_for),
    reason = VALUES(reason),
    died_at = GREATEST(died_at + 1, VALUES(died_at))`;
// Without the bodies, which may have 16 MB each.
// As earlier releases name it, which may run beside this one.
const storedStage = (stage: Stage): string => (stage === "rejected" ? "event" : stage);
const shownStage = "IF(stage = 'event', 'rejected', stage) AS stage";
const headColumns = `id, domain, ${shownStage}, queue, message_id AS messageId, reason, died_at AS diedAt, state`;
const columns = `${headColumns}, body`;
const isOfKind = "(? IS NULL OR domain = ?) AND (? IS NULL OR stage = ?) AND (? IS NULL OR state = ?)";
const selectSome = (selected: string): string => `
  SELECT ${selected} FROM dead_letters WHERE ${isOfKind}
    AND died_at >= ? AND died_at <= ? AND LOCATE(?, reason) > 0 AND (died_at > ? OR id > ?)
  ORDER BY died_at, id LIMIT ?`;
// The newest first: both columns in one direction, so that an index is read backwards and nothing is sorted.
const selectHeads = `SELECT ${headColumns} FROM dead_letters WHERE ${isOfKind} ORDER BY died_at DESC, id DESC LIMIT ?`;
const selectHead = `SELECT ${headColumns} FROM dead_letters WHERE id = ?`;
const selectByIds = `SELECT ${columns} FROM dead_letters WHERE id IN (?) ORDER BY died_at, id`;
const updateState = "UPDATE dead_letters SET state = ? WHERE id = ? AND state <> ? AND died_at = ?";
// Each state ends at the maximum: 10,000 entries of an index take about 2 ms.
const countedMax = 10_000;
const countOf = (state: LetterState): string => `
  SELECT '${state}' AS state, COUNT(*) AS letters
  FROM (SELECT 1 AS letter FROM dead_letters WHERE state = '${state}' LIMIT ${countedMax}) AS of_${state}`;
const letterStates = ["open", "parked", "replayed", "discarded"] as const;
const selectCounts = letterStates.map(countOf).join(" UNION ALL ");
const selectConflicts =
  "SELECT state, COUNT(*) AS letters FROM dead_letters WHERE domain = ? AND stage = 'conflict' GROUP BY state";

// A body that is too long for one statement is written in parts. The body of an earlier letter has another length.
const updateBody = "UPDATE dead_letters SET body = CONCAT(body, ?) WHERE id = ? AND LENGTH(body) = ?";

const parkedDays = 7;
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
  readonly reason?: string | undefined;
}

type RowOf<Letter> = Omit<Letter, "id"> & { readonly id: Buffer };

/** Stores letters. Repeating it changes only their time and reason, and opens replayed ones. Locks them. */
export async function keepLetters(transaction: SqlTransaction, letters: readonly NewLetter[]): Promise<void> {
  if (letters.length === 0) return;
  // Parked letters are opened by this time: the clock of a writer may be wrong.
  const now = await clockOf(transaction);
  // All writers use this order: two that keep copies of the same letters do not deadlock.
  const ordered = letters.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const rows = ordered.map((letter) => [
    bytesOfEventId(letter.id),
    letter.domain,
    storedStage(letter.stage),
    letter.queue,
    letter.messageId,
    letter.reason.slice(0, reasonCharactersMax),
    now,
    letter.body.length > shortBytesMax ? Buffer.alloc(0) : letter.body,
    letter.waitsFor === undefined ? "open" : "parked",
    letter.waitsFor === undefined ? null : bytesOfEventId(letter.waitsFor),
  ]);
  await transaction.execute(insertLetters, [rows]);
  for (const { id, body } of ordered) {
    for (let at = 0; at < body.length && body.length > shortBytesMax; at += partBytesMax) {
      const part = body.subarray(at, at + partBytesMax);
      if ((await transaction.execute(updateBody, [part, bytesOfEventId(id), at])) === 0) break;
    }
  }
}

/** Returns the letters that match a filter, oldest first. */
export async function listLetters(
  reader: SqlReader,
  filter: LetterFilter,
  limit: number,
): Promise<readonly DeadLetter[]> {
  return (await reader.query<RowOf<DeadLetter>>(selectSome(columns), someValues(filter, limit))).map(withTextId);
}

export type LetterHead = Omit<DeadLetter, "body">;

/** Likewise, without their content. `after`: only the letters that come after this one in the list. */
export async function listHeads(
  reader: SqlReader,
  filter: LetterFilter,
  limit: number,
  after?: LetterHead,
): Promise<readonly LetterHead[]> {
  const values = someValues(filter, limit, after);
  return (await reader.query<RowOf<LetterHead>>(selectSome(headColumns), values)).map(withTextId);
}

/** Returns the newest letters that match, newest first. */
export async function newestLetters(
  reader: SqlReader,
  filter: Pick<LetterFilter, "domain" | "stage" | "state">,
  limit: number,
): Promise<readonly LetterHead[]> {
  return (await reader.query<RowOf<LetterHead>>(selectHeads, [...kindValues(filter), limit])).map(withTextId);
}

/** Returns a letter without its content; undefined for an unknown id. */
export async function findLetterHead(reader: SqlReader, id: string): Promise<LetterHead | undefined> {
  const [row] = await reader.query<RowOf<LetterHead>>(selectHead, [bytesOfEventId(id)]);
  return row && withTextId(row);
}

/** The id of a message's letter is a hash, so it need not be an event id. */
export const letterId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the letters with the given ids, oldest first; unknown ids are left out. */
export async function findLetters(reader: SqlReader, ids: readonly string[]): Promise<readonly DeadLetter[]> {
  if (ids.length === 0) return [];
  return (await reader.query<RowOf<DeadLetter>>(selectByIds, [ids.map(bytesOfEventId)])).map(withTextId);
}

/** The number of letters in each state, up to 10,000: that many or more. Some ms, however many there are. */
export async function countLetters(reader: SqlReader): Promise<StateCounts> {
  return countsOf(await reader.query(selectCounts));
}

/** The number of conflicts of a domain in each state. */
export async function countConflicts(reader: SqlReader, domain: string): Promise<StateCounts> {
  return countsOf(await reader.query(selectConflicts, [domain]));
}

export type StateCounts = Readonly<Record<LetterState, number>>;

function countsOf(rows: readonly { readonly state: LetterState; readonly letters: number }[]): StateCounts {
  const counts = Object.fromEntries(rows.map(({ state, letters }) => [state, letters]));
  return { open: 0, parked: 0, replayed: 0, discarded: 0, ...counts };
}

// Both by the index (state, died_at).
const selectReady = (table: string): string => `
  SELECT ${columns} FROM dead_letters
  WHERE state = 'parked' AND domain = ? AND EXISTS (SELECT 1 FROM ${table} AS awaited WHERE awaited.id = waits_for)
  ORDER BY died_at LIMIT ?`;
const openOld = `
  UPDATE dead_letters SET state = 'open', reason = CONCAT(reason, '; it waited for ${parkedDays} days')
  WHERE state = 'parked' AND domain = ? AND died_at < ?`;

/** Parked letters whose event is in `table`, oldest first. */
export async function readyLetters(
  reader: SqlReader,
  domain: string,
  table: string,
  limit: number,
): Promise<readonly DeadLetter[]> {
  return (await reader.query<RowOf<DeadLetter>>(selectReady(table), [domain, limit])).map(withTextId);
}

/** Opens letters that are parked for longer than 7 days. Returns how many. */
export function openParked(transaction: SqlTransaction, domain: string, nowMs: number): Promise<number> {
  return transaction.execute(openOld, [domain, nowMs - parkedDays * 24 * 60 * 60 * 1000]);
}

/** Returns false and changes nothing if the letter has that state, or arrived again after it was read. */
export async function settleLetter(
  transaction: SqlTransaction,
  { id, diedAt }: Pick<DeadLetter, "id" | "diedAt">,
  state: "replayed" | "discarded",
): Promise<boolean> {
  return (await transaction.execute(updateState, [state, bytesOfEventId(id), state, diedAt])) > 0;
}

/** The ids of a domain's events that are dead letters and not stored, for a stream: (id). */
export const selectKeptEvents =
  "SELECT id FROM dead_letters WHERE domain = ? AND stage = 'event' AND state <> 'replayed'";

function someValues(filter: LetterFilter, limit: number, after?: LetterHead): readonly SqlParameter[] {
  const { since = 0, until = Number.MAX_SAFE_INTEGER, reason = "" } = filter;
  const from = after?.diedAt ?? since;
  const afterId = after === undefined ? "" : bytesOfEventId(after.id);
  return [...kindValues(filter), from, until, reason, from, afterId, limit];
}

function kindValues({ domain, stage, state }: LetterFilter): readonly SqlParameter[] {
  return [domain, stage && storedStage(stage), state].flatMap((value) => [value ?? null, value ?? null]);
}

function withTextId<Row extends { readonly id: Buffer }>(row: Row): Omit<Row, "id"> & { readonly id: string } {
  return { ...row, id: eventIdOfBytes(row.id) };
}
