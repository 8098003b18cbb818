import type { Random } from "../random.ts";
import type { Stand } from "../stand.ts";

/** One fault as the schedule says it. */
export interface FaultPlan {
  /** What it hits, in words of the kind. */
  readonly target: string;
  /** How long it lasts, or how long the process stays away. */
  readonly ms: number;
  /** How often a crash point is passed before; what else a kind counts. */
  readonly count: number;
}

export interface FaultKind {
  readonly name: string;
  /** Draws one. Depends on `random` and on the names of the domains only. */
  readonly plan: (random: Random, domains: readonly string[]) => FaultPlan;
  /** Does it and undoes it. */
  readonly inject: (stand: Stand, plan: FaultPlan) => Promise<Aftermath>;
}

/** What is left to see when a fault is over. */
export interface Aftermath {
  /** From when the time to recover counts, by performance.now(). */
  readonly backAt: number;
  /** Resolves when the process that was hit serves again. */
  readonly started?: Promise<void>;
  /** The gateway that was hit: the first event after the fault goes there. */
  readonly gateway?: number;
  /** Redis may have lost something: recovered is when all that was stored is counted again. */
  readonly redisLost?: true;
  /** Dead letters that there must be more than before. */
  readonly letters?: { readonly events: number; readonly messages: number };
}
