import type { DesignName, Durability } from "./designs/designs.ts";
import type { LoadPlan, Phase } from "./load/load-plan.ts";

/** One run of the bench. */
export interface BenchPlan extends Omit<LoadPlan, "urls"> {
  readonly root: string;
  readonly design: DesignName;
  readonly durability: Durability;
  readonly gateways: number;
  readonly clientThreads: number;
  /** So many POSTs, stored and ranked before the warm-up; undefined: none. */
  readonly fill: number | undefined;
  /** A source's run has its own, or none. */
  readonly warmUpSeconds: number;
  readonly phase: Phase;
  /** For the apps, beside what the design sets. */
  readonly settings: Readonly<Record<string, string>>;
  /** A system that runs somewhere; undefined: one of our own. */
  readonly target: string | undefined;
  readonly say: (line: string) => void;
  /** Told once a second while the load runs: how much of it is over, 0 to 1, and how many requests. */
  readonly onProgress: (figures: { readonly share: number; readonly through: number }) => void;
  readonly onLoadEnded: () => void;
  readonly signal: AbortSignal;
}
