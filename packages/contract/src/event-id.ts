import { hash, randomUUID } from "node:crypto";
import type { Event } from "./encoded-event.ts";

/** An event's id as text: a UUID, lower case, with dashes. */
export type EventId = string;

const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[78][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

// Ids follow a clock that is set back by more. By less, the order of one gateway's events matters more.
const followedFromMs = 7_200_000;

let lastMs = 0;
let counter = 0;
let timeDigits = "";

/** A UUIDv7 (RFC 9562, 5.7 and 6.2, method 1): 48 bits of time, a 12-bit counter that grows within a ms, 62 random
 * bits. Ids of one gateway grow unless its clock is set back by hours, so rows arrive at the end of the clustered index; those of randomUUIDv7 do not grow
 * within a ms. 0.2 µs: randomUUID takes random bytes for many ids at a time. */
export function newEventId(): EventId {
  const now = Date.now();
  if (now > lastMs || now < lastMs - followedFromMs) {
    useTime(now);
  } else if (++counter > 0xfff) {
    // More than 4,096 ids in a millisecond, or the clock was set back: use the next millisecond.
    useTime(lastMs + 1);
  }
  // The variant and the random bits of version 4 are in the same places.
  return `${timeDigits}-${(counter + 0x7000).toString(16)}${randomUUID().slice(18)}`;
}

function useTime(ms: number): void {
  const digits = ms.toString(16).padStart(12, "0");
  timeDigits = `${digits.slice(0, 8)}-${digits.slice(8)}`;
  lastMs = ms;
  counter = 0;
}

/** Equal on every gateway at any time: UUIDv8 (RFC 9562, 5.8) made of SHA-256. A UUIDv7 is impossible, because a retry
 * does not know the time of the first request. */
export function eventIdOfKey(scope: string, key: string): EventId {
  // The length distinguishes ("a", "b:c") from ("a:b", "c").
  return eventIdOfHash(`${scope.length}:${scope}:${key}`);
}

/** An entry without a key in a bulk request with one. */
interface KeyedEntry {
  readonly requestKey: string;
  readonly scope: string;
  readonly content: string;
  /** The number of equal entries before it in the request. */
  readonly equalBefore: number;
}

/** Depends on the content and not on the position: if a client sends a part of the request again, each entry keeps its
 * id, and a corrected entry is a new event. It never equals an id of eventIdOfKey. */
export function eventIdOfKeyedEntry({ requestKey, scope, content, equalBefore }: KeyedEntry): EventId {
  // The hashed text of eventIdOfKey starts with a digit.
  return eventIdOfHash(`bulk/${equalBefore}/${requestKey.length}:${requestKey}/${scope.length}:${scope}:${content}`);
}

// One call that returns text takes a quarter of the time of createHash. Version and variant replace digits 12 and 16.
function eventIdOfHash(text: string): EventId {
  const hex = hash("sha256", text);
  const variant = "89ab".charAt(Number.parseInt(hex.charAt(16), 16) & 3);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** True for an id of version 7 or 8. */
export function isEventId(text: string): text is EventId {
  return pattern.test(text);
}

/** When an id was made, in ms since 1970 by the gateway's clock; undefined for an id made of a key or of content. */
export function eventTimeOf(id: EventId): number | undefined {
  return id.charAt(14) === "7" ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined;
}

export function bytesOfEventId(id: EventId): Buffer {
  return Buffer.from(id.replaceAll("-", ""), "hex");
}

export function eventIdOfBytes(bytes: Buffer): EventId {
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** All fields except the id, `note` and `arrivalFields`. The order of fields does not matter; bytes are represented by their
 * SHA-256. About 1 µs for a purchase of 5 items, 5 ms for an image of 10 MiB. */
export function contentOf(event: Event, arrivalFields: readonly string[] = []): string {
  const fields = Object.entries(event).filter(
    ([name]) => name !== "id" && name !== "note" && !arrivalFields.includes(name),
  );
  return JSON.stringify(canonical(Object.fromEntries(fields)));
}

/** 96 bits of SHA-256 of a text, as 16 characters. Equal texts have equal fingerprints. */
export function fingerprintOf(text: string): string {
  return hash("sha256", text, "base64url").slice(0, 16);
}

function canonical(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Buffer.isBuffer(value)) return { sha256: hash("sha256", value), bytes: value.length };
  if (Array.isArray(value)) return value.map(canonical);
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, field]) => [name, canonical(field)]));
}
