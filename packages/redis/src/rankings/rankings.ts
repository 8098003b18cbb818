import type {
  BatchId,
  BoardTop,
  WholeBoards,
  KeptSeries,
  MirroredBoards,
  RankingMessage,
  Recount,
  SeriesSettings,
} from "@tally/contract";
import type { Log } from "@tally/runtime";

export interface RankingsOptions {
  readonly url: string;
  /** Separates systems in one Redis. */
  readonly namespace: string;
  /** Shards of a domain that has no rankings yet. Later the rankings' own number counts. */
  readonly shards: number;
  /** The domains with mirrored counts; others need not be listed. */
  readonly domains: readonly { readonly name: string; readonly recount: Pick<Recount, "boards"> }[];
  /** A command fails after this time; absent: it waits until Redis is back. */
  readonly commandTimeoutMs?: number;
  readonly log: Log;
}

export interface BatchRanking {
  /** Ranks a batch on each shard without its mark. False: all had it. */
  rank(domain: string, message: RankingMessage): Promise<boolean>;
  /** Returns the given batches whose mark is missing on a shard. One script call for each producer and shard. */
  unmarked<B extends BatchId>(domain: string, batches: readonly B[]): Promise<readonly B[]>;
}

/** A number if its text is that of a natural number up to 2^53 - 1. */
export type Id = string | number;
export type Cells = readonly (readonly [id: Id, count: number])[];

/** All cells of a board. */
export interface Board {
  readonly board: string;
  readonly cells: Cells;
}

/** The boards of keys and those of members: the same counts. */
export type MirroredCounts = Readonly<Record<"byKey" | "byMember", (prefix: string) => Iterable<Board>>>;

/** A generation that is being built. Calls reject when Redis is down for too long. */
export interface NewGeneration extends BatchRanking {
  /** Adds cells of one board, in portions of any size; each cell once. */
  add(board: string, cells: Cells): Promise<void>;
  /** Adds all counts of mirrored boards, once. Members and keys are decimal numbers. */
  addMirrored(boards: MirroredBoards, counts: MirroredCounts): Promise<void>;
  /** Adds the marks of a producer, one for each ranked batch: bit n, highest bit of a byte first, is sequence n. */
  mark(producer: string, marks: Buffer): Promise<void>;
  noteFolded(batches: number): Promise<void>;
  /** Batches that are marked, and that the ledger may lose: see `inLedger`. */
  noteRecent(batches: readonly BatchId[]): Promise<void>;
  /** Says which series it has. Readers and audits believe no other one. */
  noteSeries(kept: KeptSeries): Promise<void>;
  /** Waits until everything that was added is loaded. `asOf`: when the newest of its batches was stored. */
  loaded(asOf: number): Promise<void>;
  /** Makes it the live one. False when Redis has lost a part of it: then it is unusable. */
  switch(): Promise<boolean>;
  /** Lets others build, and deletes what is not live. Always called at the end. */
  release(): Promise<void>;
}

/** whole: contains each marked batch. unbuilt: Redis has lost everything, or the domain is new. dirty: a script or a
 * change of the number of shards failed half-way. The last two need a rebuild. */
export type RankingsState =
  | { readonly name: "whole" }
  | { readonly name: "unbuilt" }
  | { readonly name: "dirty"; readonly reason: string };

/** The most members of a board in one read: fewer than stay in the sorted set of a large board. */
export const topLimitMax = 100;

/** `members`: some that are read alone; absent: all. */
export interface BoardToRead {
  readonly board: string;
  readonly members?: readonly Id[];
  /** Without `alsoStored`, which costs most. */
  readonly cellsOnly?: boolean;
}

/** The counts of a board that Redis keeps for it. */
export interface BoardCells {
  readonly cells: ReadonlyMap<string, number>;
  /** Other counts of the same members, from which the next move would start; 0 for a member that belongs only to the
   * rest of its board. Empty if all is well. */
  readonly alsoStored: ReadonlyMap<string, number>;
  /** Whether the board keeps a member with this count. The board of a member of mirrored counts keeps only its best. */
  keeps(member: Id, count: number): boolean;
}

/** An epoch of the ledger: see packages/database/src/ledger/epochs.ts. */
interface NotedEpoch {
  readonly epoch: number;
  readonly token: string;
}

/** Live rankings of all domains in one Redis or cluster. A call takes one round trip for each of its shards. */
export interface Rankings extends BatchRanking {
  /** Whether the batch is marked on every shard. */
  isMarked(domain: string, batch: BatchId): Promise<boolean>;
  /** Identifies the running Redis process, or all masters: after a change one is new and may lack data. */
  instance(): Promise<string>;
  state(domain: string): Promise<RankingsState>;
  /** The epoch of the last noteChecked for this instance: all batches of epochs up to it are marked. */
  checkedTo(domain: string, instance: string): Promise<number | undefined>;
  /** `instance`: as read before the check. */
  noteChecked(domain: string, instance: string, epoch: number): Promise<void>;
  /** What the ledger must have: the epoch of the last noteEpoch, and thousands of the batches that were ranked since:
   * all, from "0" on and again from each `next` until it is "0". */
  inLedger(
    domain: string,
    from?: string,
  ): Promise<{ readonly noted: NotedEpoch | undefined; readonly batches: readonly BatchId[]; readonly next: string }>;
  /** Notes an epoch that was opened after `batches` were found in the ledger, unless a later one is noted. A rebuild
   * forgets the note. */
  noteEpoch(domain: string, epoch: NotedEpoch, batches: readonly BatchId[]): Promise<void>;
  /** How many batches the live generation knew to be folded at the last noteFolded, on the shard with the lowest
   * number. They are marked. Fewer than in the database: it lacks folded batches. */
  folded(domain: string): Promise<number>;
  noteFolded(domain: string, batches: number): Promise<void>;
  /** The series of the live generation; undefined: none, an earlier release has built it, or it lacks moves. */
  series(domain: string): Promise<KeptSeries | undefined>;
  /** True for a minute after a message that lacks a needed series which is asked for was ranked. Also true when an
   * earlier release built the rankings, until a message with series is ranked. */
  lacksSeries(domain: string, asked: SeriesSettings): Promise<boolean>;
  /** Deletes the boards of the days before one, yyyymmdd. Scans all keys of the Redis. */
  forgetDays(domain: string, before: number): Promise<void>;
  /** The number of the live generation. Without one: that of the last one seen, or the setting. */
  shards(domain: string): Promise<number>;
  /** Begins a generation, by default with as many shards as the live one; undefined while another process builds. */
  build(domain: string, shards?: number): Promise<NewGeneration | undefined>;
  isBuilding(domain: string): Promise<boolean>;
  /** At most 100 members of a board, highest counts first, equal counts by the smaller id. An unknown board is empty.
   * Not exact: a series that is not kept; and after counts have fallen, until others have grown. Without a whole
   * generation boards of a key or a member are not exact; others, `whole`, and `count` but for boards of the chain, throw
   * RankingsUnavailable, as `isMarked` and all of them do while Redis is down. */
  top(domain: string, board: string, limit: number): Promise<BoardTop>;
  /** 0 for a member that is not on the board. */
  count(domain: string, board: string, member: string): Promise<number>;
  /** What Redis keeps of the given boards, in their order. The cost grows with the number of cells. Not one moment:
   * what is ranked meanwhile may be there in part. */
  cells(domain: string, boards: readonly BoardToRead[]): Promise<readonly BoardCells[]>;
  /** The same. Rejects unless one generation is live to the end of the read. undefined: it does not keep the board. */
  whole(domain: string, boards: readonly string[]): Promise<WholeBoards>;
  /** Those of the given boards that have exactly the given cells; only boards of keys of mirrored counts are compared. */
  equal(domain: string, boards: readonly Board[]): Promise<ReadonlySet<string>>;
  /** The names of all boards, in no order and each at least once. Scans all keys of the Redis. */
  boards(domain: string): AsyncIterable<readonly string[]>;
  /** The marks of each producer, shard by shard; bits as in NewGeneration.mark. Scans all keys of the Redis. */
  marks(domain: string): AsyncIterable<ReadonlyMap<string, Buffer>>;
  /** False while Redis, or a master of the cluster, does not respond. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}

/** Redis is down, frozen, loading its file or busy, or has no whole generation: the call may be repeated. */
export class RankingsUnavailable extends Error {
  readonly code = "RANKINGS_UNAVAILABLE";
  readonly failureClass = "unavailable";

  constructor(cause: unknown) {
    super("Redis does not respond, or has no whole rankings", { cause });
  }
}

// Errors of Redis that end by waiting, or by correcting an account. Any other error is a bug.
const notNow = /^(LOADING|BUSY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|SHARDS|UNBUILT|NOAUTH|WRONGPASS|READONLY|NOREPLICAS) /;

// Errors of ioredis: no reply in time, a lost connection, no node of a cluster.
const noReply =
  /^(Command timed out|Command aborted|Connection is closed|Reached the max retries|Failed to refresh slots)/;

/** Whether Redis does not respond, or only says that it cannot now. */
export const isRedisAway = (error: unknown): boolean =>
  error instanceof Error && (notNow.test(error.message) || noReply.test(error.message));

export async function replyOf<T>(command: Promise<T>): Promise<T> {
  try {
    return await command;
  } catch (error) {
    if (error instanceof Error && error.name === "ReplyError" && !notNow.test(error.message)) throw error;
    throw new RankingsUnavailable(error);
  }
}
