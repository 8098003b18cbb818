import type { AuditReport } from "@tally/reconcile";
import type { Second } from "./load/recorder.ts";
import type { GroupTime } from "./load/load-plan.ts";
import type { Disturbance } from "./machine/disturbance.ts";
import type { OfTiers } from "./watch/watch.ts";

/**
 * In ms, measured in µs: times of 2xx responses, and of requests that timed out, with the time that they had waited.
 */
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

/**
 * One run, as `--json` writes it. null: unknown for this design or target. For a target, design and durability are
 * "unknown".
 */
export interface Report {
  readonly runId: string;
  /** ISO 8601. */
  readonly at: string;
  readonly machine: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly commit: string;
  /** The command that repeats it. */
  readonly repeat: string;
  /** How the apps ran, followed by the settings that --set has changed. */
  readonly mode: string;
  /** The URL of a system that was running already; null: the bench has started its own. */
  readonly target: string | null;
  readonly design: string;
  readonly durability: string;
  /** What a 2xx means. */
  readonly meaning: string;
  readonly domain: string;
  readonly model: "closed" | "open" | "source";
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
  readonly connections: number;
  readonly clientThreads: number;
  readonly gateways: number | null;
  /** Settings of the apps, beside those of the design. */
  readonly settings: Readonly<Record<string, string>>;
  readonly seed: number;
  readonly spread: string;
  /** Share of GETs, 0 to 1. */
  readonly readShare: number;
  /** Requested size of an event's content; null: the domain's default. */
  readonly contentBytes: number | null;

  /** From the first request to the last response, but not beyond the last request for responses that never come. */
  readonly seconds: number;
  /** Requests, retries included. */
  readonly sent: number;
  readonly accepted: { readonly events: number; readonly perSecond: number };
  /**
   * Events stored when all accepted events were stored, divided by the time from the first request until then, and at
   * least until the last request. Late or missing responses do not extend it. Known to 100 ms, or to 500 ms when the
   * load ended later. null also when not all was stored. `ranked` is defined likewise.
   */
  readonly stored: { readonly perSecond: number | null };
  readonly ranked: { readonly perSecond: number | null };
  readonly reads: { readonly requests: number; readonly perSecond: number; readonly latencyMs: Latency | null };
  /** From the end of `seconds` until everything was ranked. */
  readonly drainSeconds: number | null;
  readonly latencyMs: Latency | null;
  /** POSTs and GETs together, as some sources print them. */
  readonly requestsMs: Latency | null;
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
  /** Messages in the domain's two queues during the load. `isFull`: one of them was close to its limit. */
  readonly queue: { readonly max: number | null; readonly isFull: boolean };
  /** Events that were followed, and how many of them were not stored or not ranked one minute after they were sent. */
  readonly followed: {
    readonly events: number;
    readonly neverStored: number;
    readonly neverRanked: number;
  } | null;
  /**
   * Only of fan-out: batches stored since the start of the system, and those that its third subscriber has received.
   */
  readonly subscriber?: { readonly stored: number; readonly received: number };
  readonly eventToStoredMs: Spans | null;
  readonly eventToRankedMs: Spans | null;
  /** From the start of the load until everything was ranked. The total excludes the client. */
  readonly cpuSeconds: OfTiers<number | null> & { readonly client: number; readonly total: number | null };
  /** The same for each accepted event and each read. */
  readonly cpuUsPerEvent: OfTiers<number | null> & { readonly client: number | null; readonly total: number | null };
  /** The maximum seen, of all processes of a tier together. */
  readonly memoryMiB: OfTiers<number | null>;
  /**
   * The sending thread. `isLimit`: whether the client was the bottleneck, never idle or with a delay above half of
   * the p99.
   */
  readonly client: { readonly busy: number; readonly delayP99Ms: number; readonly isLimit: boolean };
  /** What the machine did besides the run. */
  readonly disturbance: Disturbance;
  /** The rate that follows from the connections and their mean latency; null when a request got no 2xx. */
  readonly littlesLaw: { readonly expectedPerSecond: number | null };
  /** `ranked` is null for a design without a ledger: there, boards are compared with rows, where it has boards. */
  readonly audit: (Omit<AuditReport["audit"], "ranked"> & { readonly ranked: number | null }) | null;
  /** null also without a ledger, when no difference was found. */
  readonly agrees: boolean | null;
  /** Equal for equal rankings. */
  readonly boardsHash: string | null;
  /** Of a source's run: when each group of connections began and ended, in seconds. */
  readonly groups: readonly GroupTime[];
  readonly perSecond: readonly Second[];
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

/** What went wrong in a run, where its figures do not show it. */
export function faultsOf(name: string, report: Report): readonly string[] {
  if (isGood(report)) return [];
  const { accepted, reads, audit, subscriber, followed } = report;
  if (accepted.events + reads.requests === 0) return [`${name}: no request got a 2xx`];
  const missing = subscriber === undefined ? 0 : subscriber.stored - subscriber.received;
  const causes = [
    ...(audit === null ? [] : [`lost ${audit.lost}, doubled ${audit.doubled}`]),
    ...(report.agrees === false ? ["the audit does not agree"] : []),
    ...(missing > 0 ? [`the third subscriber lacks ${missing} batches`] : []),
    ...(audit === null && (followed?.neverStored ?? 0) > 0
      ? [`${followed?.neverStored} of ${followed?.events} followed events were never stored`]
      : []),
  ];
  return [`${name}: ${causes.join(", ")}`];
}
