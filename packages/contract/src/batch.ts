import { randomBytes } from "node:crypto";
import { Type, type Static, type TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { packEvent, putBytes, splitBytes, unpackEvent, type EncodedEvent, type Event } from "./encoded-event.ts";
import { firstProblem } from "./first-problem.ts";
import { fieldIn, parsedJson } from "./json.ts";

// The marks of a producer reach up to its highest sequence: at most 8 MiB, also for a forged one. At 250 batches a
// second a gateway takes a new producer after three days.
const sequenceEnd = 2 ** 26;

/** The latest time of a Date: rankings and changes show times as text. */
export const latestMs = 8_640_000_000_000_000;

/** `producer` is 64 random bits as 16 hex digits, new at each start of a gateway; `sequence` counts its batches from 0.
 * So the mark of a batch is one bit, and the ledger is clustered by arrival. */
export const BatchId = Type.Object({
  producer: Type.String({ pattern: "^[0-9a-f]{16}$" }),
  sequence: Type.Integer({ minimum: 0, maximum: sequenceEnd - 1 }),
});
export type BatchId = Static<typeof BatchId>;

/** Generates batch ids without repetition. */
export class BatchIds {
  #producer = randomBytes(8).toString("hex");
  #next = 0;

  next(): BatchId {
    if (this.#next === sequenceEnd) {
      this.#producer = randomBytes(8).toString("hex");
      this.#next = 0;
    }
    return { producer: this.#producer, sequence: this.#next++ };
  }
}

/** A batch id as text, for messages and logs: "9f86d081884c7d65:17". */
export function textOfBatchId(id: BatchId): string {
  return `${id.producer}:${id.sequence}`;
}

/** The content of one message of an ingest queue. `createdAt` is when the gateway flushed it, in ms since 1970. */
export interface Batch<E extends Event = Event> {
  readonly id: BatchId;
  readonly createdAt: number;
  readonly events: readonly E[];
}

const formatVersion = 1;

// Before events had a version, a message had none.
const firstEventVersion = 1;

const envelopeOf = (eventVersion: number) =>
  Type.Object({
    v: Type.Literal(formatVersion),
    eventVersion: Type.Optional(
      Type.Integer({
        minimum: firstEventVersion,
        maximum: eventVersion,
        expected: `at most ${eventVersion}, the version of the events that this writer knows`,
      }),
    ),
    ...BatchId.properties,
    createdAt: Type.Integer({ minimum: 0, maximum: latestMs }),
  });

/** Joins the texts of events that were encoded when accepted, and appends the bytes in their fields. */
export function encodeBatch(
  id: BatchId,
  createdAt: number,
  events: readonly EncodedEvent[],
  eventVersion: number,
): Buffer {
  const texts = events.map(({ json }) => json).join(",");
  const json = `{"v":${formatVersion},"eventVersion":${eventVersion},"producer":"${id.producer}","sequence":${id.sequence},"createdAt":${createdAt},"events":[${texts}]}`;
  return packEvent({ json, bytes: events.flatMap(({ bytes }) => bytes) });
}

/** The same message under another batch id, with its events and their version. Returns other bytes unchanged. */
export function withBatchId(body: Buffer, id: BatchId): Buffer {
  const { json, bytes } = unpackEvent(body);
  const value = parsedJson(json);
  if (typeof value !== "object" || value === null) return body;
  return packEvent({ json: JSON.stringify({ ...value, ...id }), bytes });
}

export class UndecodableBatch extends Error {
  readonly code = "UNDECODABLE_BATCH";
}

/** Bytes are views into the body. Throws UndecodableBatch, also for events of a later version. */
export function batchDecoder<S extends TSchema>(
  event: S,
  eventVersion: number,
): (body: Buffer) => Batch<Static<S> & Event> {
  const check = Compile(Type.Interface([envelopeOf(eventVersion)], { events: Type.Array(event, { minItems: 1 }) }));
  return (body) => {
    const value = parse(body);
    if (!check.Check(value)) throw new UndecodableBatch(firstProblem(check, value).message);
    const { producer, sequence, createdAt, events } = value as Static<ReturnType<typeof envelopeOf>> & {
      events: (Static<S> & Event)[];
    };
    return { id: { producer, sequence }, createdAt, events };
  };
}

function parse(body: Buffer): unknown {
  const { json, bytes } = splitBytes(body);
  const value = parsedJson(json);
  if (value === undefined) throw new UndecodableBatch("body: expected JSON");
  if (bytes === undefined) return value;
  const events = fieldIn(value, "events");
  if (!Array.isArray(events) || !putBytes(events, bytes))
    throw new UndecodableBatch("body: expected the number of bytes that the events declare");
  return value;
}
