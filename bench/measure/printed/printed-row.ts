import type { DesignName, Durability } from "../designs/designs.ts";

/** One row of a source's tables: its figures as printed, and what of ours compares with it. */
export interface PrintedRow {
  /** Unique in its source. */
  readonly id: string;
  /** The description of the SourceRun that sends the same load. */
  readonly load: string;
  /** The server as the source names it. */
  readonly server: string;
  readonly wallSeconds?: number;
  /** Requests, GETs included. */
  readonly perSecond?: number;
  readonly latencies: readonly PrintedLatency[];
  /** The time of each phase, in the order of the groups of the load. */
  readonly phaseSeconds?: readonly number[];
  /** What Little's law predicts in the source: connections divided by mean latency. */
  readonly littlesLawPerSecond?: number;
  /** The deepest queue; in some rows an upper bound, as a note says. */
  readonly queueMax?: number;
  /** What is doubtful about the printed figures, or printed elsewhere. Each is one sentence. */
  readonly notes: readonly string[];
  readonly beside: Arrangement | Incomparable;
}

/** In ms. */
export interface PrintedLatency {
  readonly of: RequestKind;
  readonly mean?: number;
  readonly p50?: number;
  readonly p95?: number;
  readonly p99?: number;
  readonly min?: number;
  readonly max?: number;
  /** Requests that succeeded. */
  readonly succeeded?: number;
}

/** POSTs, GETs, or both together. */
export type RequestKind = "POST" | "GET" | "all";

/** What of ours runs the row's load. */
export interface Arrangement {
  readonly design: DesignName;
  readonly durability: Durability;
  readonly gateways: number;
}

/** A row that tally does not repeat, and why, in one sentence. */
interface Incomparable {
  readonly reason: string;
}

/** tally as it is, with one gateway. */
export const asItIs: Arrangement = { design: "batched", durability: "confirmed", gateways: 1 };

/** Two gateways behind a load balancer. */
export const balanced: Arrangement = { design: "balanced", durability: "confirmed", gateways: 2 };
