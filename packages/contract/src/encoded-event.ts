import { Type } from "typebox";
import { fieldIn } from "./json.ts";

/** The fields that events of all domains have. An event's own fields may be Buffers. One named `note` is no content: an
 * event that comes again with another note is the same. */
export interface Event {
  readonly id: string;
}

export const Bytes = Type.Refine(Type.Unsafe<Buffer>({ expected: "bytes" }), (value) => Buffer.isBuffer(value));

/** An event in messages: JSON, and separately the bytes of its fields, which are never encoded as text. */
export interface EncodedEvent {
  readonly json: string;
  readonly bytes: readonly Buffer[];
  /** Its approximate size in a message, in bytes. */
  readonly size: number;
}

const newline = 0x0a;

/** The JSON has {"bytes": length} in place of each Buffer, which is not copied. */
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

/** JSON, a newline, and the bytes; only JSON if there are none. The JSON itself has no newline. A dead letter keeps a
 * single event so. */
export function packEvent({ json, bytes }: Pick<EncodedEvent, "json" | "bytes">): Buffer {
  return bytes.length === 0 ? Buffer.from(json) : Buffer.concat([Buffer.from(`${json}\n`), ...bytes]);
}

/** The inverse of packEvent; the bytes are a view into `body`. */
export function splitBytes(body: Buffer): { readonly json: string; readonly bytes: Buffer | undefined } {
  const end = body.indexOf(newline);
  if (end < 0) return { json: body.toString(), bytes: undefined };
  return { json: body.toString("utf8", 0, end), bytes: body.subarray(end + 1) };
}

/** Replaces each {"bytes": length} of parsed events by bytes, in order. False if the lengths do not add up. */
export function putBytes(events: readonly unknown[], bytes: Buffer): boolean {
  let at = 0;
  for (const event of events) {
    if (typeof event !== "object" || event === null) continue;
    for (const [name, value] of Object.entries(event)) {
      const length = fieldIn(value, "bytes");
      if (typeof length !== "number") continue;
      Reflect.set(event, name, bytes.subarray(at, at + length));
      at += length;
    }
  }
  return at === bytes.length;
}

/** The event of packEvent; its bytes are views into `body`. Throws SyntaxError or TypeError for anything else. */
export function decodeEvent(body: Buffer): unknown {
  const { json, bytes } = splitBytes(body);
  const event: unknown = JSON.parse(json);
  if (bytes !== undefined && !putBytes([event], bytes))
    throw new TypeError("expected the number of bytes that the event declares");
  return event;
}

/** The inverse of packEvent, to send the event again. */
export function unpackEvent(body: Buffer): EncodedEvent {
  const { json, bytes } = splitBytes(body);
  return { json, bytes: bytes === undefined ? none : [bytes], size: body.length };
}
