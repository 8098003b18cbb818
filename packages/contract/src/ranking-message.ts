import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { BatchId, latestMs } from "./batch.ts";
import { checkMoves } from "./check-moves.ts";
import { parsedJson } from "./json.ts";

/** The content of one message of a rank queue. The ledger keeps it until the batch is surely ranked. `shards` are in
 * the form that the rankings read: the ranker checks them and does not decode them. */
export interface RankingMessage {
  readonly batch: BatchId;
  /** When the rows were written, in ms since 1970. */
  readonly storedAt: number;
  readonly shards: readonly Buffer[];
  /** The series that its moves have: textOfSeries. Absent: it is of an earlier release. */
  readonly series?: string;
}

// The form of the moves: since 3 with joined boards. An earlier release rejects it before any effect: rankers are
// upgraded before writers.
const version = 3;

// A script of Redis cannot be stopped. No writer publishes more: it first inserts the message into the ledger, in
// hexadecimal, by a statement of up to 5 Mi characters (session.ts of packages/database).
const bytesMax = 2.5 * 1024 * 1024;

const Header = Compile(
  Type.Object({
    v: Type.Union([Type.Literal(2), Type.Literal(version)]),
    ...BatchId.properties,
    storedAt: Type.Integer({ minimum: 1, maximum: latestMs }),
    shardBytes: Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1 }),
    series: Type.Optional(Type.String({ pattern: "^.{0,255}$" })),
  }),
);

/** One line of JSON, then the bytes of the shards. */
export function encodeRankingMessage(message: RankingMessage): Buffer {
  const header = {
    v: version,
    producer: message.batch.producer,
    sequence: message.batch.sequence,
    storedAt: message.storedAt,
    shardBytes: message.shards.map((shard) => shard.length),
    series: message.series,
  };
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...message.shards]);
}

export class UndecodableRankingMessage extends Error {
  readonly code = "UNDECODABLE_RANKING_MESSAGE";
}

/** The inverse; the shards are views into `body`, and their moves have the form that Redis can apply. Throws
 * UndecodableRankingMessage for any other bytes. */
export function decodeRankingMessage(body: Buffer): RankingMessage {
  if (body.length > bytesMax)
    throw new UndecodableRankingMessage(`expected up to ${bytesMax} bytes, got ${body.length}`);
  const end = body.indexOf(0x0a);
  const header = parsedJson(body.toString("utf8", 0, Math.max(end, 0)));
  if (!Header.Check(header)) throw new UndecodableRankingMessage("expected a header line of a ranking message");
  const shards: Buffer[] = [];
  let offset = end + 1;
  for (const bytes of header.shardBytes) {
    shards.push(body.subarray(offset, offset + bytes));
    offset += bytes;
  }
  if (offset !== body.length)
    throw new UndecodableRankingMessage(`expected ${offset} bytes by the header, got ${body.length}`);
  for (const [index, shard] of shards.entries()) {
    try {
      checkMoves(shard);
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause;
      throw new UndecodableRankingMessage(`moves of shard ${index}: ${cause.message}`, { cause });
    }
  }
  const { producer, sequence, storedAt, series } = header;
  return { batch: { producer, sequence }, storedAt, shards, ...(series !== undefined && { series }) };
}

/** The same; returns the error for any other bytes. */
export function readRankingMessage(body: Buffer): RankingMessage | UndecodableRankingMessage {
  try {
    return decodeRankingMessage(body);
  } catch (error) {
    if (error instanceof UndecodableRankingMessage) return error;
    throw error;
  }
}
