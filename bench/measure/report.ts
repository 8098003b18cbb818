import type { Second } from "../kit/index.ts";
import type { AuditReport } from "@tally/reconcile";
import type { Disturbance } from "./machine/disturbance.ts";
import type { GroupTime } from "./load/load-plan.ts";
import type { RequestLogResult } from "./load/request-log.ts";
import type { LittlesLaw, PhaseFigures } from "./phase-figures.ts";
import type { Hop } from "./watch/hops.ts";
import type { QueueVerdict } from "./watch/queue-verdict.ts";
import type { OfTiers } from "./watch/tiers.ts";

/** In ms, measured in µs: times of 2xx responses, and of requests that timed out, with the time that they had waited. */
export interface Latency {
  readonly mean: number;
  readonly min: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

/** Times of single events that were followed, in ms from sending the request. */
export interface Spans {
  readonly samples: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** One run, as `--json` writes it. null: unknown for this design or target. For a target, design and durability are "unknown". */
export interface Report {
  readonly runId: string;
  /** ISO 8601. */
  readonly at: string;
  readonly machine: string;
  readonly domain: string;
  readonly design: string;
  readonly durability: string;
  /** The URL of a system that was running already; null: the bench has started its own. */
  readonly target: string | null;
  readonly model: "closed" | "open" | "source";
  readonly connections: number;
  /** Share of GETs, 0 to 1. */
  readonly readShare: number;
  /** How the apps ran, followed by the settings that --set has changed. */
  readonly mode: string;
  readonly accepted: { readonly events: number; readonly perSecond: number };
  readonly ranked: { readonly perSecond: number | null };
  readonly versions: Readonly<Record<string, string>>;
  readonly commit: string;
  /** What a 2xx means. Earlier reports lack it. */
  readonly meaning?: string;
  /** The command that repeats the run; for a source, all of its runs. */
  readonly repeat: string;
  /** Source, run number (from 1) and scale; null for a domain's workload. */
  readonly source: {
    readonly name: string;
    readonly run: number;
    readonly runs: number;
    readonly description: string;
    readonly scale: number;
  } | null;
  /** Requested rate of the open model. */
  readonly offeredPerSecond: number | null;
  /** Requested length of the load; null for a source. */
  readonly asked: { readonly seconds: number } | { readonly amount: number } | null;
  /** POSTs before the warm-up, stored and ranked and not counted: requested and accepted. */
  readonly fill: { readonly asked: number; readonly accepted: number } | null;
  /** null for a source, which has its own warm-up or none. */
  readonly warmUpSeconds: number | null;
  readonly clientThreads: number;
  readonly gateways: number | null;
  /** Settings of the apps, beside those of the design. */
  readonly settings: Record<string, string>;
  readonly seed: number;
  readonly spread: string;
  /** Requested size of an event's content; null: the domain's default. */
  readonly contentBytes: number | null;
  /** From the first request to the last response, but not beyond the last request for responses that never come. */
  readonly seconds: number;
  /** Requests, retries included. */
  readonly sent: number;
  /**
   * Events stored when all accepted events were stored, divided by the time from the first request until then, and at least until the last
   * request. Late or missing responses do not extend it. Known to 20 ms, or to 500 ms when the load ended later. null also when not all
   * was stored. `ranked` is defined likewise.
   */
  readonly stored: { readonly perSecond: number | null };
  readonly reads: { readonly requests: number; readonly perSecond: number; readonly latencyMs: Latency | null };
  /** From the end of `seconds` until everything was ranked. */
  readonly drainSeconds: number | null;
  readonly latencyMs: Latency | null;
  /** POSTs and GETs together, as some sources print them. Absent in reports of an earlier bench. */
  readonly requestsMs?: Latency | null;
  readonly statuses: Readonly<Record<string, number>>;
  readonly errors: {
    readonly non2xx: number;
    readonly timeouts: number;
    readonly connections: number;
    readonly unanswered: number;
    readonly retries: number;
    /** GETs among the requests without a 2xx. */
    readonly ofReads: number;
  };
  /** Messages in the domain's two queues during the load. */
  readonly queue: { readonly max: number | null; readonly verdict: QueueVerdict | null };
  /** Events that were followed, and how many of them were not stored or not ranked one minute after they were sent. */
  readonly followed: {
    readonly events: number;
    readonly neverStored: number;
    readonly neverRanked: number;
  } | null;
  /** Only of fan-out: batches that were stored since the start of the system, and that its third subscriber has received. */
  readonly subscriber?: { readonly stored: number; readonly received: number };
  readonly eventToStoredMs: Spans | null;
  readonly eventToRankedMs: Spans | null;
  /** The time of batches from hop to hop, from the apps' histograms. Omits hops without batches. */
  readonly hops: readonly Hop[];
  /** From the start of the load until everything was ranked. The total excludes the client. */
  readonly cpuSeconds: OfTiers<number | null> & { readonly client: number; readonly total: number | null };
  /** The same for each accepted event and each read. */
  readonly cpuUsPerEvent: OfTiers<number | null> & { readonly client: number | null; readonly total: number | null };
  /** The maximum seen, of all processes of a tier together. */
  readonly memoryMiB: OfTiers<number | null>;
  /** The sending thread. `isLimit`: whether the client was the bottleneck, never idle or with a delay above half of the p99. */
  readonly client: { readonly busy: number; readonly delayP99Ms: number; readonly isLimit: boolean };
  /** What the machine did besides the run. Absent in reports of an earlier bench. */
  readonly disturbance?: Disturbance;
  /** Of the measured load. */
  readonly littlesLaw: LittlesLaw;
  /** `ranked` is null for a design without a ledger: there, boards are compared with rows, where it has boards. */
  readonly audit: (Omit<AuditReport["audit"], "ranked"> & { readonly ranked: number | null }) | null;
  /** null also without a ledger, when no difference was found. */
  readonly agrees: boolean | null;
  /** Equal for equal rankings. */
  readonly boardsHash: string | null;
  /** Of a source's run: when each group of connections began and ended, in seconds, and its figures. */
  readonly groups: readonly (GroupTime & { readonly figures?: PhaseFigures })[];
  /** Fill, warm-up and measured load, each with its drain, in seconds from the start of the measured load: what is before it is negative. */
  readonly phases: readonly PhaseTime[];
  /** Fill and warm-up second by second. Only the plots show them: no figure includes them. */
  readonly before: readonly EarlierLoad[];
  readonly perSecond: readonly Second[];
  readonly observations: readonly Observed[];
  readonly histogram: readonly { readonly percentile: number; readonly ms: number }[];
  /** The cumulative distribution of the latencies of each method that was sent. Absent in reports of an earlier bench. */
  readonly cdf?: readonly Cdf[];
  /** The file of --requests-csv and its lines; null: none was asked for. Absent in reports of an earlier bench. */
  readonly requestLog?: (RequestLogResult & { readonly file: string }) | null;
}

/** The share of a method's requests with at most this latency, in ms. Both rise; the last share is 1. */
export interface Cdf {
  readonly method: "POST" | "GET";
  readonly points: readonly { readonly ms: number; readonly share: number }[];
}

/** When a phase began and ended. */
export interface PhaseTime {
  readonly name: "fill" | "warm-up" | "measured" | "drain";
  readonly begun: number;
  readonly ended: number;
  /** Of a load. Absent for a drain, and in reports of an earlier bench. */
  readonly figures?: PhaseFigures;
}

/** A load before the measured one. */
export interface EarlierLoad {
  /** In seconds from the start of the measured load: negative. */
  readonly begun: number;
  readonly perSecond: readonly Second[];
  readonly observations: readonly Observed[];
}

/** The state of the system at one moment. */
export interface Observed {
  /** From the start of the measured load. */
  readonly second: number;
  readonly queued: number;
  /** From the start of the measured load; before it negative. */
  readonly stored: number | null;
  readonly cpuSeconds: Readonly<Record<string, number>>;
  /** Cores that other processes and the hypervisor used since the observation before. Absent in reports of an earlier bench. */
  readonly foreignCores?: number | null;
  readonly stealCores?: number | null;
}

/** Whether anything got a 2xx, and all accepted events are stored exactly once. */
export function isGood({ audit, agrees, accepted, reads, followed, subscriber }: Report): boolean {
  if (accepted.events + reads.requests === 0) return false;
  // A batch that was published twice is received twice, and stored once.
  if (subscriber !== undefined && subscriber.received < subscriber.stored) return false;
  // Nothing more is known about a system that the bench has not started.
  if (audit === null && followed !== null && followed.neverStored > 0) return false;
  return agrees !== false && (audit === null || (audit.lost === 0 && audit.doubled === 0));
}
