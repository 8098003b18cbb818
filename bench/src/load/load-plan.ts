import type { Spread } from "@tally/domains/workloads";

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
  /** A request without a response for this long times out. */
  readonly responseWithinMs: number;
}

/** Closed, like the sources: each connection sends its next request after the response to the last. Open: requests are sent at a rate. */
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

export type Until =
  | { readonly name: "seconds"; readonly seconds: number }
  | { readonly name: "amount"; readonly amount: number };

/** The result of one phase. */
export interface PhaseResult {
  /** From the first request to the last response, but not beyond the last request for responses that never come. */
  readonly seconds: number;
  /** From the first request to the last. */
  readonly sendingSeconds: number;
  readonly sent: number;
  /** 2xx to a POST. */
  readonly accepted: number;
  /** 2xx to a GET. */
  readonly read: number;
  /** Responses by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Connections that were refused or ended. */
  readonly connectionErrors: number;
  readonly timeouts: number;
  /** GETs among the requests without a 2xx. */
  readonly failedReads: number;
  /** Retried requests; `sent` includes them. */
  readonly retries: number;
  /** Requests without a response and without a timeout when the load ended. */
  readonly withoutResponse: number;
  /** Times of 2xx responses, and of timed-out requests the time that they had waited; in µs, encoded by hdr-histogram-js. */
  readonly posts: string;
  readonly gets: string;
  readonly perSecond: readonly Second[];
  /** Only of a source's run. */
  readonly groups: readonly GroupTime[];
  readonly client: ClientFigures;
}

export interface Second {
  readonly accepted: number;
  readonly read: number;
  /** Statuses other than 2xx, timeouts and broken connections. */
  readonly failed: number;
  /** In ms; undefined without a response. */
  readonly p50?: number;
  readonly p99?: number;
}

/** When a group of connections began and had all its responses, in seconds of the load. */
export interface GroupTime {
  readonly name: string;
  readonly connections: number;
  readonly begun: number;
  readonly ended: number;
}

/** How busy the load thread was. If the client is the bottleneck, the figures are the client's. */
interface ClientFigures {
  /** Share of time in which its event loop was busy, 0 to 1. */
  readonly busy: number;
  /** Delay of its event loop, in ms. */
  readonly delayP99: number;
}

/** An event that was just accepted, to be followed. */
export interface Sample {
  readonly id: string;
  /** When its request was sent, in ms since 1970. */
  readonly sentAt: number;
}
