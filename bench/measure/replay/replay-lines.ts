import { createReadStream } from "node:fs";
import { LineTooLong, linesOf, parseEntry } from "@tally/admin/entries";
import { eventTimeOf, isEventId, type EntryFields } from "@tally/contract";

/** A line of an export: the fields of an event, its Idempotency-Key, which is its event id, and the time in that id. */
export interface ReplayLine {
  /** From 1. */
  readonly number: number;
  readonly fields: EntryFields;
  readonly key: string | undefined;
  /** In ms since 1970; undefined for an id that was made of a client's key, which has no time. */
  readonly atMs: number | undefined;
}

interface BadLine {
  readonly number: number;
  readonly problem: string;
}

// Eight times the largest body of a single event by default (BODY_BYTES_MAX).
const lineBytesMax = 1024 * 1024;
const keyPattern = /^[\x21-\x7e]{1,255}$/;

/** The lines of a file as `tally export` writes it, without empty ones. Holds one line and a chunk of the file in memory. */
export async function* replayLines(file: string): AsyncGenerator<ReplayLine | BadLine> {
  let number = 0;
  try {
    for await (const line of linesOf(createReadStream(file), lineBytesMax)) {
      number++;
      const text = line.trim();
      if (text !== "") yield lineOf(number, text);
    }
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error;
    yield { number: error.line, problem: error.message };
  }
}

function lineOf(number: number, text: string): ReplayLine | BadLine {
  const entry = parseEntry(text);
  if (entry === undefined) return { number, problem: "expected a JSON object with the fields of an event" };
  const { idempotencyKey: key, ...fields } = entry;
  if (key === undefined) return { number, fields, key, atMs: undefined };
  if (typeof key !== "string" || !keyPattern.test(key))
    return { number, problem: "idempotencyKey: expected 1 to 255 visible ASCII characters" };
  return { number, fields, key, atMs: isEventId(key) ? eventTimeOf(key) : undefined };
}
