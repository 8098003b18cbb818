import { createHash } from "node:crypto";
import {
  encodeBatch,
  encodeEvent,
  eventIdOfBytes,
  eventIdOfKey,
  packEvent,
  queuesOf,
  textOfBatchId,
  unpackEvent,
  type BatchIds,
  type Event,
} from "@tally/contract";

/** event: rejected for its data. conflict: its key has other content. message: undecodable. delivery: given up. */
export type Stage = "event" | "conflict" | "message" | "delivery";

/** open: waits for a decision. replayed: sent again. discarded: kept, not sent again. */
export type LetterState = "open" | "replayed" | "discarded";

/** An event or a message that cannot be stored as it is. */
export interface NewLetter {
  /** A UUID. A letter that comes again has the same id. */
  readonly id: string;
  readonly domain: string;
  readonly stage: Stage;
  /** The queue that it came through. */
  readonly queue: string;
  /** The id of a message, which a replay uses again; for a conflict the id of the stored event; empty for an event. */
  readonly messageId: string;
  readonly reason: string;
  /** The event as packEvent writes it: JSON, then its bytes; or the unchanged message. */
  readonly body: Buffer;
}

export interface DeadLetter extends NewLetter {
  /** When it last came, in ms since 1970. */
  readonly diedAt: number;
  readonly state: LetterState;
}

/** An event that the database rejects for its data. */
export function letterOfEvent(domain: string, queue: string, event: Event, reason: string): NewLetter {
  const body = packEvent(encodeEvent(event));
  return { id: event.id, domain, stage: "event", queue, messageId: "", reason, body };
}

/** The reason of a letter of stage "conflict". */
export const keyReusedReason = "key reused with different content";

/**
 * An event whose id belongs to a stored event with other content. The letter's id is made of both: each content that
 * came with the key is one letter. A replay stores the event under the letter's id.
 */
export function letterOfConflict(domain: string, queue: string, event: Event, content: string): NewLetter {
  const id = eventIdOfKey(`${domain}/${event.id}`, content);
  const letter = letterOfEvent(domain, queue, { ...event, id }, keyReusedReason);
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
  return stage === "event" || stage === "conflict";
}

/**
 * The message that sends a letter again. Harmless to repeat, because an event keeps its id and a message its batch. The
 * event of a conflict is stored under the id of its letter. `eventVersion`: of the domain, for a single event, whose
 * own version may be an earlier one.
 */
export function replayOf(
  letter: DeadLetter,
  namespace: string,
  batches: BatchIds,
  eventVersion: number,
): { readonly queue: string; readonly messageId: string; readonly body: Buffer } {
  const { ingest, rank } = queuesOf(namespace, letter.domain);
  const queue = letter.queue === rank.name ? rank.name : ingest.name;
  if (!holdsEvent(letter)) return { queue, messageId: letter.messageId, body: letter.body };
  const batch = batches.next();
  const body = encodeBatch(batch, Date.now(), [unpackEvent(letter.body)], eventVersion);
  return { queue, messageId: textOfBatchId(batch), body };
}
