import type { Spread } from "@tally/domains/workloads";

/** What a load thread has to do from its start to its end. Plain data: it travels to the thread. */
export interface LoadPlan {
  /** One for each gateway: connections take them in turn. */
  readonly urls: readonly string[];
  readonly domain: string;
  readonly connections: number;
  readonly seed: number;
  readonly spread: Spread;
  /** Which share of the requests are GETs of rankings, from 0 to 1. */
  readonly readShare: number;
  /** How large the content of an event is, where it has any; undefined: as the domain has it. */
  readonly contentBytes?: number | undefined;
  /** A request without an answer for so long is given up. */
  readonly answerWithinMs: number;
}

/** Closed, as the sources: each connection sends its next request when the last is answered. Open: requests come at a rate, answered or not. */
export type Phase =
  | { readonly model: "closed"; readonly until: Until }
  | { readonly model: "open"; readonly until: Until; readonly perSecond: number }
  /** One of a source's runs, by its place, with so much of its requests; or what it sends before that is measured. */
  | { readonly model: "source"; readonly run: number; readonly scale: number; readonly warmUp?: true };

/** So many POSTs before anything is measured, each sent again until it is accepted. */
export interface Fill {
  readonly model: "fill";
  readonly amount: number;
}

export type Until =
  | { readonly name: "seconds"; readonly seconds: number }
  | { readonly name: "amount"; readonly amount: number };

/** What was seen of one phase. */
export interface PhaseResult {
  /** From the first request to the last answer, at least until the last was sent: what hangs at the end does not stretch it. */
  readonly seconds: number;
  /** From the first request to the last that was sent. */
  readonly sendingSeconds: number;
  readonly sent: number;
  /** 2xx to a POST. */
  readonly accepted: number;
  /** 2xx to a GET. */
  readonly read: number;
  /** Answers by their status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Connections that were refused or ended. */
  readonly connectionErrors: number;
  readonly timeouts: number;
  /** GETs among all that was not answered 2xx. */
  readonly failedReads: number;
  /** Requests that were sent again; they are among the sent. */
  readonly retries: number;
  /** Sent, and neither answered nor given up when the load ended. */
  readonly unanswered: number;
  /** Of what was answered 2xx, and of what was given up the time that it had waited; in µs, as hdr-histogram-js encodes it. */
  readonly posts: string;
  readonly gets: string;
  readonly perSecond: readonly Second[];
  /** Of a source's run. */
  readonly groups: readonly GroupTime[];
  readonly client: ClientFigures;
}

export interface Second {
  readonly accepted: number;
  readonly read: number;
  /** Answers other than 2xx, time-outs and broken connections. */
  readonly failed: number;
  /** In ms; undefined without an answer. */
  readonly p50?: number;
  readonly p99?: number;
}

/** When the connections of a source's group began and had all their answers, in seconds of the load. */
export interface GroupTime {
  readonly name: string;
  readonly connections: number;
  readonly begun: number;
  readonly ended: number;
}

/** How busy the load thread was: a client that is the limit measures itself. */
interface ClientFigures {
  /** Share of the time in which its event loop was not idle, 0 to 1. */
  readonly busy: number;
  /** How late its event loop was, in ms. */
  readonly delayP99: number;
}

/** An event that was accepted just now, for whoever wants to follow it. */
export interface Sample {
  readonly id: string;
  /** When its request was sent, in ms since 1970. */
  readonly sentAt: number;
}
