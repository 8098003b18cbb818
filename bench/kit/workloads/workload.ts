/** wide: all keys that the contract names, equally likely. narrow: few, so that boards stay small. zipf: those of
 * "wide", the nth of them 1/n as likely as the first. */
export type Spread = "narrow" | "wide" | "zipf";

/** Synthetic requests of a domain's clients. `random` returns numbers from 0 to below 1. */
export interface Workload {
  readonly domain: string;
  /** A POST; with `context.eventId` perhaps a GET of what that event brought. */
  readonly next: (random: () => number, spread: Spread, context?: RequestContext) => ClientRequest;
  /** A POST about an event that was acknowledged at `atMs` by the client's clock. Absent: no event refers to another.
   */
  readonly followUp?: (random: () => number, eventId: string, atMs: number) => ClientRequest;
  readonly read: (random: () => number, spread: Spread) => string;
  /** An event without its id: it fits its schema, and the database rejects it because of its data. */
  readonly poison: Readonly<Record<string, unknown>>;
  readonly bulk?: { readonly path: string; readonly entry: (random: () => number, spread: Spread) => BulkEntry };
  readonly source?: Source;
}

export interface RequestContext {
  /** From the last response on the same connection; absent after a GET and after an error. */
  readonly eventId?: string | undefined;
  /** The size of content such as an image; absent: the usual one. */
  readonly contentBytes?: number | undefined;
  /** Whether events carry prices, in domains that have them. */
  readonly isPriced?: boolean | undefined;
}

export interface ClientRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string | Buffer;
  /** Default: JSON. */
  readonly contentType?: string;
  /** What it adds to all boards together; absent if that depends on other requests. */
  readonly units?: number;
  readonly content?: () => Readonly<Record<string, unknown>>;
  /** A POST with other content in the same scope, that adds the same units to the boards. */
  readonly other?: () => ClientRequest;
  /** POSTs that take the event back, which is sent with this key. They may be sent before it. */
  readonly corrections?: (key: string, random: () => number) => Corrections;
}

/** What clients take back of an event. */
export interface Corrections {
  readonly requests: readonly ClientRequest[];
  /** The rows do not admit one of them. Their units are those of all together. */
  readonly isOneRefused: boolean;
}

export interface BulkEntry extends Required<Pick<ClientRequest, "units" | "content">> {
  readonly entry: Readonly<Record<string, unknown>>;
}

interface Source {
  /** S0 to S4. */
  readonly name: string;
  readonly runs: readonly SourceRun[];
}

export interface SourceRun {
  readonly description: string;
  /** A load of single printed rows, which only their arrangements run. */
  readonly isExtra?: true;
  /** `scale` 1 is the source's own number of requests. A connection sends one request after the other. */
  readonly groups: (scale: number) => readonly SourceGroup[];
  /** Sent first and not measured. */
  readonly warmUp?: (scale: number) => readonly SourceGroup[];
  /** For a request without a 2xx; default 0. */
  readonly retries?: number;
}

export interface SourceGroup {
  readonly name: string;
  readonly connections: number;
  readonly requestsOfEach: number;
  /** One request every N ms until all counted groups finish; requestsOfEach is 0. */
  readonly pacedEveryMs?: number;
  /** When `connections` of the named group have had `responses` responses each; absent: at once. */
  readonly startsAfter?: { readonly group: string; readonly connections: number; readonly responses: number };
  /** After the first group; used without startsAfter. */
  readonly startsAfterSeconds?: number;
  /** Connection and n are counted from 0. */
  readonly request: (connection: number, n: number, random: () => number, context?: RequestContext) => ClientRequest;
}

/** A group starts when one of `parts` equal parts of the connections of another has had all its responses. */
export function afterPartOf({ name: group, connections, requestsOfEach: responses }: SourceGroup, parts: number) {
  return { startsAfter: { group, connections: Math.ceil(connections / parts), responses } };
}

/** Draws a number from 1. */
export type Draw = (random: () => number) => number;

export function spreadOver(wide: number, narrow: number): Readonly<Record<Spread, Draw>> {
  return { wide: uniform(wide), narrow: uniform(narrow), zipf: zipf(wide) };
}

/** A source's number of requests at a smaller scale; at least 1. */
export function scaled(count: number, scale: number): number {
  return Math.max(1, Math.round(count * scale));
}

function uniform(count: number): Draw {
  return (random) => 1 + Math.floor(random() * count);
}

/** The nth number is 1/n as likely as the first (Zipf's law). Keeps 8 bytes per number; a draw is a binary search. */
function zipf(count: number): Draw {
  let sums: Float64Array | undefined;
  return (random) => {
    // Made at the first draw: most processes that load workloads never draw.
    sums ??= sumsOf(count);
    const wanted = random() * (sums[count - 1] ?? 0);
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sums[middle] ?? 0) > wanted) high = middle;
      else low = middle + 1;
    }
    return low + 1;
  };
}

function sumsOf(count: number): Float64Array {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let n = 1; n <= count; n++) sums[n - 1] = sum += 1 / n;
  return sums;
}
