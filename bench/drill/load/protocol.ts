import type { Spread } from "@tally/domains/workloads";

/** The parameters of a load; the workerData of its thread. */
export interface LoadPlan {
  /** The gateways. Each event goes to one of them, and to the next one when that fails. */
  readonly urls: readonly string[];
  /** Names; all get the same share of events. */
  readonly domains: readonly string[];
  readonly eventsPerSecond: number;
  /** No event is started while this many wait for their response. */
  readonly inFlightMax: number;
  /** After its last event a load waits this long for responses before it gives up. */
  readonly finishWithinMs: number;
  readonly seed: number;
  readonly spread: Spread;
  /** Where the files of AcknowledgedFiles are written. */
  readonly directory: string;
}

/** What clients saw during some span of time. */
export interface Figures {
  /** Events with their first 2xx. */
  readonly acknowledged: number;
  /** Requests by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Requests whose connection was refused or ended before the response. */
  readonly broken: number;
  /** Requests without a response for 10 s. */
  readonly silent: number;
  /** The longest time without a 2xx. */
  readonly longestGapMs: number;
  /** The slowest 2xx. */
  readonly slowestMs: number;
}

export interface Totals {
  readonly seconds: number;
  readonly acknowledged: number;
  readonly domains: readonly DomainTotals[];
  /** Events without a 2xx after all retries: they may be stored or not. */
  readonly unknown: number;
  /** Events that were sent again after their 2xx, or to two gateways at once. */
  readonly repeated: number;
  /** Repetitions whose id differs from the event's. */
  readonly otherIds: number;
  /** Requests with another event and the key of an acknowledged one, by outcome. */
  readonly reused: { readonly rejected: number; readonly acknowledged: number };
  /** Bulk requests of which a part was sent again. */
  readonly partialRetries: number;
  /** Responses other than 2xx, 408, 503 and the expected ones, and the first of them. */
  readonly rejected: number;
  readonly firstRejection: string | undefined;
}

/** What was acknowledged of one domain. */
export interface DomainTotals {
  readonly domain: string;
  /** POSTs. There are fewer events where equal content is the same event. */
  readonly acknowledged: number;
  /** Units that they add to all boards; undefined where that depends on other POSTs. */
  readonly units: number | undefined;
}

/** What the thread of the load can be called for. */
export interface LoadCalls {
  /** What clients saw since the last call. */
  readonly figures: () => Figures;
  /** Sends one event of each domain to the gateway with this index until all are acknowledged; their ids. */
  readonly probe: (gateway: number) => readonly string[];
  /** While held, the load starts no events but those of `probe`. */
  readonly hold: (isHeld: boolean) => void;
  /** Starts no more events, waits for those in flight, closes the files. */
  readonly finish: () => Totals;
}
