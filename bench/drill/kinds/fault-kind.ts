import type { ServicesSource } from "@tally/local";
import type { Random } from "../../kit/index.ts";
import type { LostCommits } from "../lost-commits.ts";
import type { System } from "../system.ts";

/** The parameters of one fault. `target`: a process, a server, a link or a domain; the kind defines it. */
export interface FaultPlan {
  readonly target: string;
  /** How long the fault lasts, or how long the process stays down. */
  readonly ms: number;
  /** How often a crash point is passed before the kill; other kinds count other things. */
  readonly count: number;
}

export interface FaultKind {
  readonly name: string;
  /** Absent: possible with any servers. `operator`: with servers that the drill has started; `programs`: not with
   * containers. */
  readonly needs?: "operator" | "programs";
  /** Draws the parameters. Depends only on `random` and on the names of the domains. */
  readonly plan: (random: Random, domains: readonly string[]) => FaultPlan;
  readonly inject: (system: System, plan: FaultPlan) => Promise<Aftermath>;
}

export interface Aftermath {
  /** The start of the recovery time, by performance.now(). */
  readonly backAt: number;
  /** Resolves when the process that was hit serves again. */
  readonly started?: Promise<void>;
  /** Index of the gateway that was hit: the first event after the fault goes there. */
  readonly gateway?: number;
  /** Redis may have lost writes: the recovery ends when all that was stored is counted again. */
  readonly redisLost?: true;
  /** Commits that the database lost: the recovery ends when they are ranked no more. */
  readonly lost?: LostCommits;
  /** By how much the fault increases the dead letters: of events that the database rejects, and of messages. */
  readonly letters?: Letters;
}

export interface Letters {
  readonly events: number;
  readonly messages: number;
}

export const isPossible = ({ needs }: FaultKind, source: ServicesSource): boolean =>
  needs === undefined || source === "programs" || (source === "docker" && needs === "operator");
