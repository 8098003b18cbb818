import type { NewGeneration } from "./build-generation.ts";

/** Names a batch, as @tally/pipeline does. */
export interface BatchName {
  readonly producer: string;
  readonly sequence: number;
}

/** A batch whose moves are to be applied. */
interface AppliedBatch {
  readonly batch: BatchName;
  readonly storedAt: number;
  readonly shards: readonly Buffer[];
}

export interface BoardTop {
  readonly entries: readonly { readonly member: string; readonly count: number }[];
  readonly asOf: number | undefined;
}

/** Where batches are applied and looked for: the live rankings, or a generation that is being built. */
export interface Applied {
  /** Applies a batch's moves unless they are applied already; answers whether any shard was still without them. */
  apply(domain: string, message: AppliedBatch): Promise<boolean>;
  /** Those of some batches that a shard has not applied. One script for each producer and shard. */
  unmarked<B extends BatchName>(domain: string, batches: readonly B[]): Promise<readonly B[]>;
}

/**
 * whole: can be trusted as far as it is marked. unbuilt: no generation is live, because Redis has lost everything or this domain is
 * new. dirty: a script failed half-way. After the last two only a new generation helps.
 */
export type RankingsState =
  | { readonly name: "whole" }
  | { readonly name: "unbuilt" }
  | { readonly name: "dirty"; readonly reason: string };

/** Live rankings of all domains in one Redis. Every call is one round trip for each shard it touches, unless it says more. */
export interface Rankings extends Applied {
  /** Whether every shard has applied this batch. */
  isApplied(domain: string, batch: BatchName): Promise<boolean>;
  /** Names the running Redis process: another answer means that it started again and may have lost something. */
  instance(): Promise<string>;
  state(domain: string): Promise<RankingsState>;
  /**
   * Up to when all that was stored is known to be marked, as noteChecked said it of this Redis process; ms since 1970. undefined: nobody
   * has looked since it started, or it has lost that too.
   */
  checkedUntil(domain: string, instance: string): Promise<number | undefined>;
  /** `instance`: the process that was looked at, as it was called before the look. */
  noteChecked(domain: string, instance: string, until: number): Promise<void>;
  /** Begins a new generation beside the live one; undefined while another process builds one. */
  build(domain: string): Promise<NewGeneration | undefined>;
  /** Whether some process builds one. */
  isBuilding(domain: string): Promise<boolean>;
  /**
   * The members with the highest counts of one board, equal counts by the smaller id, at most 100. An unknown board is empty. Throws
   * RankingsUnavailable, as `count` and `isApplied` do.
   */
  top(domain: string, board: string, limit: number): Promise<BoardTop>;
  /** The count of one member of a board; 0 for one that is not on it. */
  count(domain: string, board: string, member: string): Promise<number>;
  /** All cells of some boards, in their order: member → count. Costs as much as they hold. */
  cells(domain: string, boards: readonly string[]): Promise<readonly ReadonlyMap<string, number>[]>;
  /** The names of all boards, in no order and each at least once. Walks all keys of the Redis. */
  boards(domain: string): AsyncIterable<readonly string[]>;
  /** Which batches of each producer are marked, shard by shard; bits as NewGeneration.mark takes them. Walks all keys of the Redis. */
  marks(domain: string): Promise<readonly ReadonlyMap<string, Buffer>[]>;
  /** False while Redis does not answer. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}

/** The rankings are not what this process was told they are. */
export class RankingsError extends Error {
  readonly code = "RANKINGS";
}

/** Redis is away, frozen, loading its file or busy with something else: what was asked may be asked again. */
export class RankingsUnavailable extends Error {
  readonly code = "RANKINGS_UNAVAILABLE";

  constructor(cause: unknown) {
    super("Redis does not answer", { cause });
  }
}
