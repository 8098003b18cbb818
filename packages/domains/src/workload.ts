import type { Event, EventId } from "@tally/contract";

/**
 * Which keys a workload draws. wide: all that the contract names, equally likely. narrow: few, so that boards stay
 * small. zipf: those of "wide", the nth of them 1/n as likely as the first.
 */
export type Spread = "narrow" | "wide" | "zipf";

/**
 * Synthetic requests of a domain's clients, for bench, drills and tests. `random` returns numbers from 0 to below 1.
 */
export interface Workload {
  /** The name of the domain. */
  readonly domain: string;
  /** A POST; with `context.eventId` perhaps a GET of what that event brought. */
  readonly next: (random: () => number, spread: Spread, context?: RequestContext) => ClientRequest;
  /**
   * A POST about an event that was acknowledged at `atMs` by the client's clock. Absent: no event refers to another.
   */
  readonly followUp?: (random: () => number, eventId: EventId, atMs: number) => ClientRequest;
  /** The path of a GET. */
  readonly read: (random: () => number, spread: Spread) => string;
  /** An event that fits its schema and that the database rejects because of its data. */
  readonly poison: (id: string) => Event;
  /** Entries of the domain's bulk route; absent if it has none. */
  readonly bulk?: { readonly path: string; readonly entry: (random: () => number, spread: Spread) => BulkEntry };
  /** Absent if no source document has measured such a system. */
  readonly source?: Source;
}

/** What a client knows when it makes its next request. */
export interface RequestContext {
  /** The event id in the last response on the same connection; absent after a GET and after an error. */
  readonly eventId?: string | undefined;
  /** The size of an event's content, such as an image; absent: the usual size. Ignored by events without content. */
  readonly contentBytes?: number | undefined;
}

/** One request as a client sends it. */
export interface ClientRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** Of a POST; absent: empty. */
  readonly body?: string | Buffer;
  /** Default: JSON. */
  readonly contentType?: string;
  /** What a POST adds to all boards together; absent if that depends on other requests. */
  readonly units?: number;
  /** The content of a POST's event. Absent: not known. */
  readonly content?: () => Readonly<Record<string, unknown>>;
  /** A POST with other content in the same scope, that adds the same units to the boards. Absent: there is none. */
  readonly other?: () => ClientRequest;
}

/** One synthetic entry of a bulk request. */
export interface BulkEntry {
  readonly entry: Readonly<Record<string, unknown>>;
  /** What it adds to all boards together. */
  readonly units: number;
  /** The content of its event. */
  readonly content: () => Readonly<Record<string, unknown>>;
}

/** The loads of a source document. The bench has the figures that it prints. */
export interface Source {
  /** S0 to S4. */
  readonly name: string;
  readonly runs: readonly SourceRun[];
}

export interface SourceRun {
  /** Unique in its source. */
  readonly description: string;
  /** True: a load of single printed rows. `pnpm bench sources` runs it, `pnpm bench --source` does not. */
  readonly isExtra?: true;
  /** `scale` 1 is the source's own number of requests. Each connection of a group sends one request after the other. */
  readonly groups: (scale: number) => readonly SourceGroup[];
  /** Sent first and not measured. */
  readonly warmUp?: (scale: number) => readonly SourceGroup[];
  /** How often a request without a 2xx is retried; default 0. */
  readonly retries?: number;
}

export interface SourceGroup {
  readonly name: string;
  readonly connections: number;
  readonly requestsOfEach: number;
  /** Paced group: one request every N ms until all counted groups finish; requestsOfEach is 0. */
  readonly pacedEveryMs?: number;
  /** Starts when `connections` of the named group have had `responses` responses each; undefined: at once. */
  readonly startsAfter:
    | { readonly group: string; readonly connections: number; readonly responses: number }
    | undefined;
  /** Starts this long after the first group; used with startsAfter undefined. */
  readonly startsAfterSeconds?: number;
  /** The nth request of a connection, both counted from 0. */
  readonly request: (connection: number, n: number, random: () => number, context?: RequestContext) => ClientRequest;
}
