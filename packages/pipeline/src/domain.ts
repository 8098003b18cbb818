// The routes of all domains stand in one list, so each forgets its own types; that what it is called with fits them is
// checked at run time by its schemas.
// oxlint-disable typescript/no-unsafe-type-assertion
import type { Static, TObject, TSchema } from "typebox";
import type { BatchId } from "./batch-id.ts";
import type { Event } from "./batch.ts";
import type { Moves } from "./moves.ts";
import type { SqlReader, SqlTransaction } from "./sql.ts";

/**
 * A kind of events and all that the business says about it. The apps know domains only through this type: a new domain is
 * one folder and one line in the list.
 */
export interface Domain<E extends Event = Event, C extends Change<E> = Change<E>> {
  /** Lower case with dashes. Names its queues, its rankings, its rows in the ledger and its label in the metrics. */
  readonly name: string;
  /** The stored event: checked when a request was read and again at the broker's edge. */
  readonly event: TSchema;
  readonly routes: readonly (IngestRoute<E> | BulkRoute<E>)[];
  readonly store: Store<E, C>;
  /** Pure: what changed rows mean for the boards. Called once for each batch, with that batch's changes only. */
  readonly rank: (changes: readonly C[], moves: Moves) => void;
  readonly recount: Recount;
  readonly queries: readonly QueryRoute[];
  readonly workload: Workload;
  /** The key under which this domain's error answers carry their sentence. */
  readonly errorKey: "message" | "msg";
  /** The folder of its numbered SQL files. */
  readonly migrations: URL;
}

/** An event that a batch brought. */
export interface Recorded<E extends Event = Event> {
  readonly event: E;
  readonly batch: BatchId;
}

/** A row that is new or was replaced, and the batch that did it. A domain may add what it replaced. */
export type Change<E extends Event = Event> = Recorded<E>;

export interface Store<E extends Event, C extends Change<E>> {
  /**
   * Writes the events of several batches within one transaction and answers which of them changed rows. May be called
   * again with the same events: what is stored already is no change. No event id occurs twice in `recorded`.
   */
  readonly write: (transaction: SqlTransaction, recorded: readonly Recorded<E>[]) => Promise<readonly C[]>;
  /** The batch that stored this event, or undefined while none has. */
  readonly locate: (reader: SqlReader, eventId: string) => Promise<BatchId | undefined>;
}

/**
 * What the stored rows are and mean, as SQL: from this the rankings are built anew, and proven. Each is a literal SELECT whose
 * columns are read by their place.
 */
export interface Recount {
  /** (event id as 16 bytes), once for each stored event. */
  readonly ids: string;
  /** (producer, sequence, rows): how many rows each batch changed, as its ledger entry says. */
  readonly rowsOfBatches: string;
  /** All boards, kind by kind: what `rank` adds up to. */
  readonly boards: readonly RecountedBoards[];
}

/** One kind of boards. */
export interface RecountedBoards {
  /** (key, member, count), every cell once, all rows of a key one after the other. Key, member and count are integers or text. */
  readonly cells: string;
  /** The board that a key stands for. */
  readonly board: (key: string) => string;
  /**
   * These are the cells of the kind before it with key and member exchanged: whoever has read that one has read this one. Only the audit
   * reads both, board by board.
   */
  readonly mirrored?: true;
}

/**
 * Which keys a workload takes. wide: all that the contract names, equally likely. narrow: few, so that boards stay small. zipf: those of
 * "wide", the nth of them 1/n as likely as the first, as shops and goods really are.
 */
export type Spread = "narrow" | "wide" | "zipf";

/** What this domain's clients send, made up for drills and benches. `random` answers numbers from 0 to below 1. */
export interface Workload {
  readonly next: (random: () => number, spread: Spread) => Posting;
  /** The path of a GET of a ranking. */
  readonly read: (random: () => number, spread: Spread) => string;
  /** A stored event that fits its schema and that no database takes, because of its data. */
  readonly poison: (id: string) => Event;
  readonly source: Source;
}

/** The load that a source document put on its own server, and what it printed (contract, section 6). */
export interface Source {
  /** S0 to S4. */
  readonly name: string;
  readonly runs: readonly SourceRun[];
}

export interface SourceRun {
  readonly says: string;
  /** `scale` 1 is the source's own number of requests. Each group is connections that send one request after the other. */
  readonly groups: (scale: number) => readonly SourceGroup[];
  readonly printed: readonly PrintedRow[];
}

export interface SourceGroup {
  readonly name: string;
  readonly connections: number;
  readonly requestsOfEach: number;
  /** Starts when some connection of the named group has sent so many; undefined: at once. */
  readonly startsAfter: { readonly group: string; readonly sent: number } | undefined;
  /** The nth request of a connection, both counted from 0. */
  readonly request: (connection: number, n: number, random: () => number) => Posting;
}

export interface PrintedRow {
  readonly says: string;
  readonly perSecond: number;
  readonly p99Ms: number;
}

/** One event as a client posts it. */
export interface Posting {
  readonly path: string;
  readonly body: string;
  /** What it adds to all boards together. */
  readonly units: number;
}

/** One HTTP request that is one event. Paths are Fastify's; all values in `params` are strings. */
export interface IngestRoute<E extends Event> {
  readonly kind: "ingest";
  readonly path: string;
  readonly params: TObject;
  readonly body: TSchema;
  /** Within which an Idempotency-Key names one event. */
  readonly scope: (params: unknown) => string;
  /** Throws InvalidInput for what the schemas cannot say. */
  readonly toEvent: (id: string, params: unknown, body: unknown) => E;
  readonly status: 200 | 201;
}

/** One HTTP request with many events as a JSON array or as lines of JSON, each checked and answered by itself. */
export interface BulkRoute<E extends Event> {
  readonly kind: "bulk";
  readonly path: string;
  readonly entry: TSchema;
  readonly entriesMax: number;
  readonly bodyBytesMax: number;
  readonly scope: (entry: unknown) => string;
  /** The entry's own Idempotency-Key, if it carries one. */
  readonly key: (entry: unknown) => string | undefined;
  readonly toEvent: (id: string, entry: unknown) => E;
}

/** A GET. `answer` is sent as JSON in the shape of `response`. */
export interface QueryRoute {
  readonly kind: "query";
  readonly path: string;
  readonly params: TObject;
  readonly query: TObject;
  readonly response: TSchema;
  readonly answer: (
    request: { readonly params: unknown; readonly query: unknown },
    sources: Sources,
  ) => Promise<unknown>;
}

/** Where queries read: rows from the read endpoint, boards from Redis. */
export interface Sources {
  readonly rows: SqlReader;
  readonly boards: BoardReader;
}

/** The boards of one domain. */
export interface BoardReader {
  /** The `limit` members with the highest counts; equal counts by the smaller id. An unknown board is empty. */
  top(board: string, limit: number): Promise<BoardTop>;
}

export interface BoardTop {
  readonly entries: readonly { readonly member: string; readonly count: number }[];
  /** When the newest batch that is counted in was stored, in ms since 1970; undefined while none is. */
  readonly asOf: number | undefined;
}

/** Gives a route its types: inside, params and body have the schemas' static types. */
export function ingestRoute<E extends Event, P extends TObject, B extends TSchema>(route: {
  path: string;
  params: P;
  body: B;
  scope: (params: Static<P>) => string;
  toEvent: (id: string, params: Static<P>, body: Static<B>) => E;
  status: 200 | 201;
}): IngestRoute<E> {
  // The gateway calls scope and toEvent only with values that these very schemas have accepted.
  return { kind: "ingest", ...route } as unknown as IngestRoute<E>;
}

/** Likewise for a bulk route. */
export function bulkRoute<E extends Event, S extends TSchema>(route: {
  path: string;
  entry: S;
  entriesMax: number;
  bodyBytesMax: number;
  scope: (entry: Static<S>) => string;
  key: (entry: Static<S>) => string | undefined;
  toEvent: (id: string, entry: Static<S>) => E;
}): BulkRoute<E> {
  return { kind: "bulk", ...route } as unknown as BulkRoute<E>;
}

/** Likewise for a query. */
export function queryRoute<P extends TObject, Q extends TObject, R extends TSchema>(route: {
  path: string;
  params: P;
  query: Q;
  response: R;
  answer: (request: { params: Static<P>; query: Static<Q> }, sources: Sources) => Promise<Static<R>>;
}): QueryRoute {
  return { kind: "query", ...route } as unknown as QueryRoute;
}

/** Checks nothing at run time: it lets the compiler hold a domain's parts against each other, then forgets their types. */
export function defineDomain<E extends Event, C extends Change<E>>(domain: Domain<E, C>): Domain {
  return domain as unknown as Domain;
}
