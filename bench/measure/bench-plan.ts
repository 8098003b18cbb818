import type { ServicesSource } from "@tally/local";
import type { DesignName, Durability } from "./designs/designs.ts";
import type { LoadPlan, Phase } from "./load/load-plan.ts";

/** Another commit of this repository, installed in a folder. */
export interface Build {
  readonly commit: string;
  readonly folder: string;
}

export interface BenchPlan extends Omit<LoadPlan, "urls"> {
  readonly root: string;
  /** The command that runs it. */
  readonly repeat: string;
  /** Another commit that runs instead of this checkout; undefined: this checkout. */
  readonly build?: Build | undefined;
  readonly design: DesignName;
  readonly durability: Durability;
  readonly gateways: number;
  /** undefined: Docker where an engine responds, else programs. */
  readonly services: ServicesSource | undefined;
  readonly clientThreads: number;
  /** Number of POSTs that are stored and ranked before the warm-up; undefined: none. */
  readonly fill: number | undefined;
  /** Not for a source's run, which has its own warm-up or none. */
  readonly warmUpSeconds: number;
  readonly phase: Phase;
  /** Settings of the apps, beside those of the design. */
  readonly settings: Readonly<Record<string, string>>;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}
