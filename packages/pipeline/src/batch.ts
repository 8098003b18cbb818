import { Type, type Static, type TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { BatchId } from "./batch-id.ts";
import { joinBytes, putBytes, splitBytes, type EncodedEvent } from "./encoded-event.ts";
import { firstProblem } from "./first-problem.ts";

/** What every stored event has, whatever its domain. Bytes may stand in its own fields, as Buffers. */
export interface Event {
  readonly id: string;
}

/** What one message of an ingest queue carries. `createdAt` is when the gateway sealed it, in ms since 1970. */
export interface Batch<E extends Event = Event> {
  readonly id: BatchId;
  readonly createdAt: number;
  readonly events: readonly E[];
}

const formatVersion = 1;

const Envelope = Type.Object({
  v: Type.Literal(formatVersion),
  producer: Type.String({ pattern: "^[0-9a-f]{16}$" }),
  sequence: Type.Integer({ minimum: 0, maximum: 0xffffffff }),
  createdAt: Type.Integer({ minimum: 0 }),
});

/**
 * The body of an ingest message. Each event was encoded when it was accepted: the texts are joined, not parsed and printed again. Behind
 * them come the bytes that events hold, if any do.
 */
export function encodeBatch(id: BatchId, createdAt: number, events: readonly EncodedEvent[]): Buffer {
  const texts = events.map(({ json }) => json).join(",");
  return joinBytes(
    `{"v":${formatVersion},"producer":"${id.producer}","sequence":${id.sequence},"createdAt":${createdAt},"events":[${texts}]}`,
    events.flatMap(({ bytes }) => bytes),
  );
}

/** Why a message is no batch: it names the place and what was expected. */
export class UndecodableBatch extends Error {
  readonly code = "UNDECODABLE_BATCH";
}

/** Reads bodies that hold events of one schema, the same that checks them at the door. Bytes are views into the body. Throws UndecodableBatch. */
export function batchDecoder<S extends TSchema>(event: S): (body: Buffer) => Batch<Static<S> & Event> {
  const check = Compile(Type.Interface([Envelope], { events: Type.Array(event, { minItems: 1 }) }));
  return (body) => {
    const value: unknown = parse(body);
    if (!check.Check(value)) throw new UndecodableBatch(firstProblem(check, value).message);
    const { producer, sequence, createdAt, events } = value as Static<typeof Envelope> & {
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
    throw new UndecodableBatch("body: expected as many bytes as the events say");
  }
  return value;
}

function hasEvents(value: unknown): value is { readonly events: readonly unknown[] } {
  return typeof value === "object" && value !== null && "events" in value && Array.isArray(value.events);
}
