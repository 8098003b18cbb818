import type { Spread } from "../../kit/index.ts";
import type { LoadResult } from "./recorder.ts";

/** The work of a load thread. Plain data, because it is sent to the thread. */
export interface LoadPlan {
  /** One for each gateway; connections use them in turn. */
  readonly urls: readonly string[];
  readonly domain: string;
  readonly connections: number;
  readonly seed: number;
  readonly spread: Spread;
  /** Share of requests that are GETs of rankings, 0 to 1. */
  readonly readShare: number;
  /** Size of an event's content, in domains that have one; undefined: the domain's default. */
  readonly contentBytes?: number | undefined;
  /** Whether events carry prices, in domains that have them. */
  readonly isPriced?: boolean | undefined;
  /** A request without a response for this long times out. */
  readonly responseWithinMs: number;
  /** Accepted events whose figures are apart, of all threads together; undefined: all. */
  readonly partOf?: number | undefined;
}

/** Closed: each connection sends after the response to its last request. Open: at a rate. */
export type Phase =
  | { readonly model: "closed"; readonly until: Until }
  | { readonly model: "open"; readonly until: Until; readonly perSecond: number }
  /** A source's run, by its index, with a share of its requests; or the warm-up before that run. */
  | { readonly model: "source"; readonly run: number; readonly scale: number; readonly warmUp?: true };

/** POSTs before anything is measured, each retried until it is accepted. */
export interface Fill {
  readonly model: "fill";
  readonly amount: number;
}

export type Until = { readonly seconds: number } | { readonly amount: number };

export interface PhaseResult extends LoadResult {
  /** Only of a source's run. */
  readonly groups: readonly GroupTime[];
}

/** When a group of connections began and had all its responses, in seconds of the load. */
export interface GroupTime {
  readonly name: string;
  readonly connections: number;
  readonly begun: number;
  readonly ended: number;
}
