import { Type, type Static, type TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { BatchId } from "./batch-id.ts";
import { firstProblem } from "./first-problem.ts";

/** What every stored event has, whatever its domain. */
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
 * The body of an ingest message. `events` are JSON texts that were made when each event was accepted: they are joined,
 * not parsed and printed again.
 */
export function encodeBatch(id: BatchId, createdAt: number, events: readonly string[]): Buffer {
  return Buffer.from(
    `{"v":${formatVersion},"producer":"${id.producer}","sequence":${id.sequence},"createdAt":${createdAt},"events":[${events.join(",")}]}`,
  );
}

/** Why a message is no batch: it names the place and what was expected. */
export class UndecodableBatch extends Error {
  readonly code = "UNDECODABLE_BATCH";
}

/** Reads bodies that hold events of one schema, the same that checks them at the door. Throws UndecodableBatch. */
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
  try {
    return JSON.parse(body.toString());
  } catch (cause) {
    throw new UndecodableBatch("body: expected JSON", { cause });
  }
}
