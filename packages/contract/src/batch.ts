import { Type, type Static, type TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { BatchId } from "./batch-id.ts";
import { joinBytes, putBytes, splitBytes, type EncodedEvent } from "./encoded-event.ts";
import { firstProblem } from "./first-problem.ts";

/** The fields that events of all domains have. An event's own fields may be Buffers. */
export interface Event {
  readonly id: string;
}

/** The content of one message of an ingest queue. `createdAt` is when the gateway sealed it, in ms since 1970. */
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
    producer: Type.String({ pattern: "^[0-9a-f]{16}$" }),
    sequence: Type.Integer({ minimum: 0, maximum: 0xffffffff }),
    createdAt: Type.Integer({ minimum: 0 }),
  });

/**
 * The body of an ingest message. Events were encoded when they were accepted: this joins their texts and appends the
 * bytes in their fields. `eventVersion`: of their schema, see Domain.
 */
export function encodeBatch(
  id: BatchId,
  createdAt: number,
  events: readonly EncodedEvent[],
  eventVersion: number,
): Buffer {
  const texts = events.map(({ json }) => json).join(",");
  return joinBytes(
    `{"v":${formatVersion},"eventVersion":${eventVersion},"producer":"${id.producer}","sequence":${id.sequence},"createdAt":${createdAt},"events":[${texts}]}`,
    events.flatMap(({ bytes }) => bytes),
  );
}

/** A message is no batch. Names the field and what was expected. */
export class UndecodableBatch extends Error {
  readonly code = "UNDECODABLE_BATCH";
}

/**
 * Decodes bodies with events of one schema, that of the domain, up to its version. Bytes are views into the body.
 * Throws UndecodableBatch, also for events of a later version.
 */
export function batchDecoder<S extends TSchema>(
  event: S,
  eventVersion: number,
): (body: Buffer) => Batch<Static<S> & Event> {
  const check = Compile(Type.Interface([envelopeOf(eventVersion)], { events: Type.Array(event, { minItems: 1 }) }));
  return (body) => {
    const value: unknown = parse(body);
    if (!check.Check(value)) throw new UndecodableBatch(firstProblem(check, value).message);
    const { producer, sequence, createdAt, events } = value as Static<ReturnType<typeof envelopeOf>> & {
      events: (Static<S> & Event)[];
    };
    return { id: { producer, sequence }, createdAt, events };
  };
}

function parse(body: Buffer): unknown {
  const { json, bytes } = splitBytes(body);
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new UndecodableBatch("body: expected JSON", { cause });
  }
  if (bytes === undefined) return value;
  if (!hasEvents(value) || !putBytes(value.events, bytes)) {
    throw new UndecodableBatch("body: expected the number of bytes that the events declare");
  }
  return value;
}

function hasEvents(value: unknown): value is { readonly events: readonly unknown[] } {
  return typeof value === "object" && value !== null && "events" in value && Array.isArray(value.events);
}
