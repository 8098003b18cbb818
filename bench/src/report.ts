import type { AuditReport } from "@tally/reconcile";
import type { GroupTime, Second } from "./load/load-plan.ts";
import type { QueueVerdict } from "./watch/queue-verdict.ts";
import type { OfTiers } from "./watch/tiers.ts";

/** In ms; measured in µs. Of answers 2xx, and of requests that were given up the time that they had waited. */
export interface Latency {
  readonly mean: number;
  readonly min: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

/** Of single events that were followed, in ms from sending the request. */
export interface Spans {
  readonly samples: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** One run, as `--json` writes it. null: cannot be known of this design or target. */
export interface Report {
  readonly runId: string;
  readonly at: string;
  readonly machine: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly commit: string;
  /** The command that asks for the same run; of a source for all of its runs. */
  readonly repeat: string;
  /** How the apps run. */
  readonly mode: string;
  /** It and its durability are "unknown" of a target. */
  readonly design: string;
  readonly durability: string;
  readonly target: string | null;
  readonly domain: string;
  readonly model: "closed" | "open" | "source";
  /** Whose load it is, the how manieth of its runs, and how much of its requests; null where a domain's workload says what is sent. */
  readonly source: {
    readonly name: string;
    readonly run: number;
    readonly runs: number;
    readonly says: string;
    readonly scale: number;
  } | null;
  readonly offeredPerSecond: number | null;
  /** How long the load should last; null of a source, which says it itself. */
  readonly asked: { readonly seconds: number } | { readonly amount: number } | null;
  /** POSTs that were sent before the warm-up, stored and ranked and not counted: so many were asked for, so many accepted. */
  readonly fill: { readonly asked: number; readonly accepted: number } | null;
  /** null of a source, as well. */
  readonly warmUpSeconds: number | null;
  readonly connections: number;
  readonly clientThreads: number;
  readonly gateways: number | null;
  /** Of the apps, beside what the design sets. */
  readonly settings: Readonly<Record<string, string>>;
  readonly seed: number;
  readonly spread: string;
  /** Share of GETs that was asked for, the flag --mix; 0 of a source, which says itself what it reads. */
  readonly readShare: number;
  /** Of an event; null: as the domain has it. */
  readonly contentBytes: number | null;
  /** From the first request to the last answer, at least until the last was sent. A request that is given up at the end does not stretch it. */
  readonly seconds: number;
  /** Requests, those among them that were sent again. */
  readonly sent: number;
  readonly accepted: { readonly events: number; readonly perSecond: number };
  /**
   * Events stored by the moment at which everything accepted was stored, by the time from the first request until then, at least until
   * the last was sent; and the same for ranked. An answer that comes late, or never, does not stretch it. The moment is known to 20 ms; to
   * half a second when the load ended later. null also when not all was stored, or ranked.
   */
  readonly stored: { readonly perSecond: number | null };
  readonly ranked: { readonly perSecond: number | null };
  readonly reads: { readonly requests: number; readonly perSecond: number; readonly latencyMs: Latency | null };
  /** From the end of `seconds` until everything was ranked. */
  readonly drainSeconds: number | null;
  readonly latencyMs: Latency | null;
  readonly statuses: Readonly<Record<string, number>>;
  readonly errors: {
    readonly non2xx: number;
    readonly timeouts: number;
    readonly connections: number;
    readonly unanswered: number;
    readonly retries: number;
    /** GETs among those without a 2xx. */
    readonly ofReads: number;
  };
  /** Messages in both queues of the domain while the load ran. */
  readonly queue: { readonly max: number | null; readonly verdict: QueueVerdict | null };
  /** Events that were followed one by one, and how many of them were not stored, not ranked, a minute after they were sent. */
  readonly followed: {
    readonly events: number;
    readonly neverStored: number;
    readonly neverRanked: number;
  } | null;
  readonly eventToStoredMs: Spans | null;
  readonly eventToRankedMs: Spans | null;
  /** From the begin of the load until everything was ranked. The total is without the client. */
  readonly cpuSeconds: OfTiers<number | null> & { readonly client: number; readonly total: number | null };
  /** The same for each accepted event and each read. */
  readonly cpuUsPerEvent: OfTiers<number | null> & { readonly client: number | null; readonly total: number | null };
  /** The most that was seen of all processes of a tier together. */
  readonly memoryMiB: OfTiers<number | null>;
  /** The thread that sends. `isLimit`: it was, or its own delays may be half of the p99. */
  readonly client: { readonly busy: number; readonly delayP99Ms: number; readonly isLimit: boolean };
  /** Connections by mean latency against what was measured; only where as many are open from the beginning to the end. */
  readonly littlesLaw: { readonly expectedPerSecond: number | null; readonly errorPercent: number | null };
  /** `ranked` null: a design without a ledger, whose boards are compared with its rows, if it has any. */
  readonly audit: (Omit<AuditReport["audit"], "ranked"> & { readonly ranked: number | null }) | null;
  /** null also: nothing differs, as far as can be told without a ledger. */
  readonly agrees: boolean | null;
  /** The same for the same rankings. */
  readonly boardsHash: string | null;
  /** Of a source's run: when each group of its connections began and ended, in seconds. */
  readonly groups: readonly GroupTime[];
  readonly perSecond: readonly Second[];
  readonly looks: readonly {
    readonly second: number;
    readonly queued: number;
    readonly stored: number | null;
    readonly cpuSeconds: Readonly<Record<string, number>>;
  }[];
  readonly histogram: readonly { readonly percentile: number; readonly ms: number }[];
}

/** Whether anything was answered 2xx, and all that was accepted is there, once. */
export function isGood({ audit, agrees, accepted, reads, followed }: Report): boolean {
  if (accepted.events + reads.requests === 0) return false;
  // Of a system elsewhere that is all that can be known.
  if (audit === null && followed !== null && followed.neverStored > 0) return false;
  return agrees !== false && (audit === null || (audit.lost === 0 && audit.doubled === 0));
}
