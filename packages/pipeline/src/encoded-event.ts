import { Type } from "typebox";
import type { Event } from "./batch.ts";

/** The schema of a field that holds bytes. */
export const Bytes = Type.Refine(Type.Unsafe<Buffer>({ expected: "bytes" }), (value) => Buffer.isBuffer(value));

/** An event as it travels: JSON, and apart from it the bytes that stand in its fields. They are never written as text. */
export interface EncodedEvent {
  readonly json: string;
  readonly bytes: readonly Buffer[];
  /** About how long it is in a message. */
  readonly size: number;
}

const newline = 0x0a;

/**
 * Where a field of the event itself holds a Buffer, its JSON says {"bytes": length} there. The bytes are not copied. An event without
 * any costs a look at each of its fields.
 */
export function encodeEvent(event: Event): EncodedEvent {
  let bytes: Buffer[] | undefined;
  for (const value of Object.values(event)) if (Buffer.isBuffer(value)) (bytes ??= []).push(value);
  if (bytes === undefined) {
    const json = JSON.stringify(event);
    return { json, bytes: none, size: json.length };
  }
  const fields = Object.entries(event).map(([name, value]: [string, unknown]) => [
    name,
    Buffer.isBuffer(value) ? { bytes: value.length } : value,
  ]);
  const json = JSON.stringify(Object.fromEntries(fields));
  return { json, bytes, size: bytes.reduce((sum, { length }) => sum + length, json.length) };
}

const none: readonly Buffer[] = [];

/** JSON text, and behind its end, which is a newline, the bytes; without the newline where there are none. JSON of ours holds no newline. */
export function joinBytes(json: string, bytes: readonly Buffer[]): Buffer {
  return bytes.length === 0 ? Buffer.from(json) : Buffer.concat([Buffer.from(`${json}\n`), ...bytes]);
}

/** The inverse: the text, and the bytes as a view into `body`. */
export function splitBytes(body: Buffer): { readonly json: string; readonly bytes: Buffer | undefined } {
  const end = body.indexOf(newline);
  if (end < 0) return { json: body.toString(), bytes: undefined };
  return { json: body.toString("utf8", 0, end), bytes: body.subarray(end + 1) };
}

/** Puts bytes where parsed events say {"bytes": length}, in their order. True if there were exactly as many as they say. */
export function putBytes(events: readonly unknown[], bytes: Buffer): boolean {
  let at = 0;
  for (const event of events) {
    if (typeof event !== "object" || event === null) continue;
    for (const [name, value] of Object.entries(event)) {
      const length = lengthIn(value);
      if (length === undefined) continue;
      Reflect.set(event, name, bytes.subarray(at, at + length));
      at += length;
    }
  }
  return at === bytes.length;
}

function lengthIn(value: unknown): number | undefined {
  if (typeof value !== "object" || value === null || !("bytes" in value)) return undefined;
  return typeof value.bytes === "number" ? value.bytes : undefined;
}

/** An event by itself, as a dead letter keeps it. */
export function packEvent({ json, bytes }: EncodedEvent): Buffer {
  return joinBytes(json, bytes);
}

/** The event that packEvent wrote; its bytes are views into `body`. Throws SyntaxError or TypeError for anything else. */
export function decodeEvent(body: Buffer): unknown {
  const { json, bytes } = splitBytes(body);
  const event: unknown = JSON.parse(json);
  if (bytes !== undefined && !putBytes([event], bytes)) throw new TypeError("expected as many bytes as the event says");
  return event;
}

/** The inverse of packEvent, to be sent again. */
export function unpackEvent(body: Buffer): EncodedEvent {
  const { json, bytes } = splitBytes(body);
  return { json, bytes: bytes === undefined ? none : [bytes], size: body.length };
}
