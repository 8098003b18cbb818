// The routes of all domains stand in one list, so each forgets its own types; that what it is called with fits them is
// checked at run time by its schemas.
// oxlint-disable typescript/no-unsafe-type-assertion
import type { Static, TObject, TSchema } from "typebox";
import type { BatchId } from "./batch-id.ts";
import type { Event } from "./batch.ts";
import type { EventId } from "./event-id.ts";
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
  /**
   * Fields of the event that the gateway fills in, such as the time of arrival. They do not belong to its content: a retry may differ in them.
   */
  readonly arrivalFields?: readonly (keyof E & string)[];
  readonly routes: readonly (IngestRoute<E> | FormRoute<E> | BulkRoute<E>)[];
  readonly store: Store<E, C>;
  /** Pure: what changed rows mean for the boards. Called once for each batch, with that batch's changes only. */
  readonly rank: (changes: readonly C[], moves: Moves) => void;
  readonly recount: Recount;
  readonly queries: readonly (QueryRoute | ContentRoute)[];
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
  /**
   * The stored events of at most `readMax` ids, as their rows hold them, in any order; without those that are not stored. Rows keep all
   * content: `contentOf` an event that is read equals that of the event that was written.
   */
  readonly read: (reader: SqlReader, eventIds: readonly string[]) => Promise<readonly E[]>;
  /** The most ids for one `read`, so that its result fits into memory. */
  readonly readMax: number;
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
  /**
   * For a domain that keeps more than its events, like the newest of each kind: (sentence) for every row that does not follow from the
   * events. No rows while all is well.
   */
  readonly contradictions?: readonly string[];
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
  /** A POST; where `told` names an event, perhaps a GET of what that brought. */
  readonly next: (random: () => number, spread: Spread, told?: Told) => ClientRequest;
  /** A POST about an event that was acknowledged before, at `atMs` by the client's clock; absent where no event is about another. */
  readonly about?: (random: () => number, eventId: EventId, atMs: number) => ClientRequest;
  /** The path of a GET. */
  readonly read: (random: () => number, spread: Spread) => string;
  /** A stored event that fits its schema and that no database takes, because of its data. */
  readonly poison: (id: string) => Event;
  /** Entries of the domain's bulk route; absent where it has none. */
  readonly bulk?: { readonly path: string; readonly entry: (random: () => number, spread: Spread) => BulkEntry };
  /** Absent where no source document has put a load on such a system. */
  readonly source?: Source;
}

/** What whoever sends requests knows, beside chance. */
export interface Told {
  /** The event that the last request of the same connection was answered with; absent after a GET and after a refusal. */
  readonly eventId?: string | undefined;
  /** How large the content of an event shall be, where it has any, like a picture; absent: as is usual. */
  readonly contentBytes?: number | undefined;
}

/** One request as a client sends it. */
export interface ClientRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** Of a POST; absent: an empty one. */
  readonly body?: string | Buffer;
  /** Of a body; absent: JSON. */
  readonly contentType?: string;
  /** What a POST adds to all boards together; absent where that depends on what else was posted. */
  readonly units?: number;
  /** The fields of a POST's event, without the id and those that the gateway fills in. Absent: not known. */
  readonly content?: () => Readonly<Record<string, unknown>>;
  /** A POST with other content in the same scope, which adds as much to the boards. Absent: there is none. */
  readonly other?: () => ClientRequest;
}

/** One entry of a bulk request as a client makes it up. */
export interface BulkEntry {
  readonly entry: Readonly<Record<string, unknown>>;
  /** What it adds to all boards together. */
  readonly units: number;
  /** The fields of its event, as in ClientRequest. */
  readonly content: () => Readonly<Record<string, unknown>>;
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
  /** Sent before, and not measured. */
  readonly warmUp?: (scale: number) => readonly SourceGroup[];
  readonly printed: readonly PrintedRow[];
  /** How often a request is sent again that was answered with anything but 2xx; absent: never. */
  readonly retries?: number;
}

export interface SourceGroup {
  readonly name: string;
  readonly connections: number;
  readonly requestsOfEach: number;
  /** Instead of so many, which are 0 then: one every so many ms, from the first moment on, until all groups that count theirs have ended. */
  readonly meanwhileEveryMs?: number;
  /** Starts when so many connections of the named group have had so many answers each; undefined: at once. */
  readonly startsAfter: { readonly group: string; readonly connections: number; readonly answers: number } | undefined;
  /** Instead of that: starts so long after the first. */
  readonly startsAfterSeconds?: number;
  /** The nth request of a connection, both counted from 0. */
  readonly request: (connection: number, n: number, random: () => number, told?: Told) => ClientRequest;
}

/** A row of a source's table. */
export interface PrintedRow {
  readonly says: string;
  /** All requests, GETs included. */
  readonly perSecond: number;
  /** null: not printed, or nothing that could be right. */
  readonly p99Ms: number | null;
  /** Whose p99 it is; absent: POSTs. */
  readonly method?: "GET";
}

/** Where a route is mounted; paths are Fastify's. Static words win over parameters. */
interface Mounted {
  /** At the root and below each base path. */
  readonly path: string;
  /** Below base paths only, besides: for clients whose base path is all that names their service. */
  readonly pathUnderBase?: string;
}

/** A store as keys name it: as a number, or as text without leading zeros. */
type StoreId = number | string;

/** One HTTP request that is one event. All values in `params` are strings. */
export interface IngestRoute<E extends Event> extends Mounted {
  readonly kind: "ingest";
  readonly params: TObject;
  /** "ignored": whatever comes is neither read nor checked. */
  readonly body: TSchema | "ignored";
  /** Within which an Idempotency-Key names one event. */
  readonly scope: (params: unknown, body: unknown) => string;
  /**
   * Throws InvalidInput for what the schemas cannot say. The event's id is `id`, or where its content names it, one made of that: then
   * the same content is the same event, whatever key it came with.
   */
  readonly toEvent: (id: string, params: unknown, body: unknown) => E;
  /** Throws NotFound when the request speaks of something that there is not. */
  readonly requires?: (params: unknown, sources: Sources) => Promise<void>;
  /**
   * The store that a request is about, for API keys that are limited to stores. Absent, or undefined for a request: it is about no store or
   * about several, and such keys are rejected.
   */
  readonly storeOf?: (params: unknown, body: unknown) => StoreId | undefined;
  readonly status: 200 | 201;
  /** What a 2xx says, as plain text; absent: nothing. */
  readonly text?: string;
}

/**
 * One multipart/form-data request that is one event, which is found at once by its id: Sources.find. Bytes that the event holds in its own
 * fields travel as they are.
 */
export interface FormRoute<E extends Event> extends Mounted {
  readonly kind: "form";
  readonly params: TObject;
  /** Within which an Idempotency-Key names one event. */
  readonly scope: (params: unknown) => string;
  /** Throws InvalidInput for a form that is no such event. */
  readonly toEvent: (id: string, params: unknown, form: Form) => E;
  readonly status: 200 | 201;
  readonly response: TSchema;
  /** What a 2xx says, as JSON in the shape of `response`. `acceptedAtMs`: when the first request with its key came, as far as is known. */
  readonly answer: (event: E, acceptedAtMs: number) => unknown;
}

/** The parts of a form by their names. */
export type Form = Readonly<Partial<Record<string, FormPart>>>;

export interface FormPart {
  readonly bytes: Buffer;
  /** As the client says, in lower case; "text/plain" where it says nothing. */
  readonly type: string;
}

/** One HTTP request with many events as a JSON array or as lines of JSON, each checked and answered by itself. */
export interface BulkRoute<E extends Event> {
  readonly kind: "bulk";
  readonly path: string;
  readonly entry: TSchema;
  readonly entriesMax: number;
  readonly scope: (entry: unknown) => string;
  /** The entry's own Idempotency-Key, if it carries one. */
  readonly key: (entry: unknown) => string | undefined;
  readonly toEvent: (id: string, entry: unknown) => E;
  /** The store that an entry is about; see IngestRoute. */
  readonly storeOf?: (entry: unknown) => StoreId | undefined;
}

/** A GET. `answer` is sent in the shape of `response`, as JSON or as plain text. */
export interface QueryRoute extends Mounted {
  readonly kind: "query";
  readonly params: TObject;
  readonly query: TObject;
  readonly response: TSchema;
  readonly as?: "text";
  readonly answer: (
    request: { readonly params: unknown; readonly query: unknown },
    sources: Sources,
  ) => Promise<unknown>;
  /** The store whose data are asked for; see IngestRoute. */
  readonly storeOf?: (request: { readonly params: unknown; readonly query: unknown }) => StoreId | undefined;
}

/** A GET that is answered with bytes that never change. */
export interface ContentRoute extends Mounted {
  readonly kind: "content";
  readonly params: TObject;
  readonly answer: (params: unknown, sources: Sources) => Promise<Content>;
}

export interface Content {
  readonly type: string;
  readonly bytes: Buffer;
}

/** Where queries read: rows from the read endpoint, boards from Redis. */
export interface Sources {
  readonly rows: SqlReader;
  /**
   * What the read endpoint has of a key, as it is when asked or later. Those who ask at about the same time are answered by one statement,
   * and its failure fails all of them; those who ask for the same key may get the same object. Throws what the reader throws, and when too
   * many wait.
   */
  readonly read: <K extends ReadKey, T>(what: KeyedRead<K, T>, key: K) => Promise<T>;
  readonly boards: BoardReader;
  /**
   * What the event of a form has brought, from its 2xx on, whichever gateway gave that and however far the replica is behind. undefined:
   * there is no such event. `acceptedAtMs`: when the event was accepted, as far as its client can tell; who asks for a young one that is
   * nowhere yet waits, and may be told to come again. Those who ask at about the same time are answered by one statement.
   */
  readonly find: <T>(lookup: Lookup<T>, eventId: EventId, acceptedAtMs: number) => Promise<T | undefined>;
}

/** A key by which rows are read: a value of one column, or of each of several. */
export type ReadKey = readonly (number | string | Buffer)[];

/** How something is read by its key, for many keys at once. One object for each kind, made once. */
export interface KeyedRead<K extends ReadKey, T> {
  /** A literal SELECT … (a, b) IN (?) …, which takes keys; its answer names the key of each row. */
  readonly select: string;
  /**
   * The columns of the answer that are the key, in its order. Each comes back as it was asked for, or nobody is told of its row: whole numbers,
   * bytes of the column's length, and text that its collation compares byte by byte (…_bin) and that has no space at its end.
   */
  readonly key: { readonly [Part in keyof K]: string };
  /** The most keys in one statement, so that its answer fits into memory and its time into patience. */
  readonly keysMax: number;
  /** Of all rows of one key, in the order of the statement; of none where there are none. */
  readonly ofRows: (rows: readonly object[]) => T;
}

/** How something is looked up by the id of the event that brought it. One object for each kind, made once. */
export interface Lookup<T> {
  /** A literal SELECT … IN (?), which takes ids of 16 bytes; its column `id` tells whose row it is. An id may have several rows. */
  readonly select: string;
  /** The most ids in one statement, so that its answer fits into memory. */
  readonly idsMax: number;
  /** Of all rows of one id, in the order of the statement. */
  readonly ofRows: (rows: readonly object[]) => T;
  /** The same of an event that may have no row yet; undefined: this kind of event brings nothing of the sort. */
  readonly ofEvent: (event: Event) => T | undefined;
}

/** The boards of one domain. */
export interface BoardReader {
  /** The `limit` members with the highest counts, at most 100; equal counts by the smaller id. An unknown board is empty. */
  top(board: string, limit: number): Promise<BoardTop>;
  /** The count of one member; 0 for one that is not on the board. */
  count(board: string, member: string): Promise<number>;
}

export interface BoardTop {
  readonly entries: readonly { readonly member: string; readonly count: number }[];
  /** When the newest batch that is counted in was stored, in ms since 1970; undefined while none is. */
  readonly asOf: number | undefined;
}

/** Gives a route its types: inside, params and body have the schemas' static types. */
export function ingestRoute<E extends Event, P extends TObject, B extends TSchema | "ignored">(
  route: Mounted & {
    params: P;
    body: B;
    scope: (params: Static<P>, body: B extends TSchema ? Static<B> : undefined) => string;
    toEvent: (id: string, params: Static<P>, body: B extends TSchema ? Static<B> : undefined) => E;
    requires?: (params: Static<P>, sources: Sources) => Promise<void>;
    storeOf?: (params: Static<P>, body: B extends TSchema ? Static<B> : undefined) => StoreId | undefined;
    status: 200 | 201;
    text?: string;
  },
): IngestRoute<E> {
  // The gateway calls scope, storeOf and toEvent only with values that these very schemas have accepted.
  return { kind: "ingest", ...route } as unknown as IngestRoute<E>;
}

/** Likewise for a form route. */
export function formRoute<E extends Event, P extends TObject, R extends TSchema>(
  route: Mounted & {
    params: P;
    scope: (params: Static<P>) => string;
    toEvent: (id: string, params: Static<P>, form: Form) => E;
    status: 200 | 201;
    response: R;
    answer: (event: E, acceptedAtMs: number) => Static<R>;
  },
): FormRoute<E> {
  return { kind: "form", ...route } as unknown as FormRoute<E>;
}

/** Likewise for a bulk route. */
export function bulkRoute<E extends Event, S extends TSchema>(route: {
  path: string;
  entry: S;
  entriesMax: number;
  scope: (entry: Static<S>) => string;
  key: (entry: Static<S>) => string | undefined;
  toEvent: (id: string, entry: Static<S>) => E;
  storeOf?: (entry: Static<S>) => StoreId | undefined;
}): BulkRoute<E> {
  return { kind: "bulk", ...route } as unknown as BulkRoute<E>;
}

/** Likewise for a query. */
export function queryRoute<P extends TObject, Q extends TObject, R extends TSchema>(
  route: Mounted & {
    params: P;
    query: Q;
    response: R;
    as?: "text";
    answer: (request: { params: Static<P>; query: Static<Q> }, sources: Sources) => Promise<Static<R>>;
    storeOf?: (request: { params: Static<P>; query: Static<Q> }) => StoreId | undefined;
  },
): QueryRoute {
  return { kind: "query", ...route } as unknown as QueryRoute;
}

/** Likewise for a content route. */
export function contentRoute<P extends TObject>(
  route: Mounted & { params: P; answer: (params: Static<P>, sources: Sources) => Promise<Content> },
): ContentRoute {
  return { kind: "content", ...route } as unknown as ContentRoute;
}

/** Gives a keyed read the types of its key and its rows. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export function keyedRead<K extends ReadKey, Row extends object, T>(of: {
  select: string;
  key: { readonly [Part in keyof K]: keyof Row & string };
  keysMax: number;
  ofRows: (rows: readonly Row[]) => T;
}): KeyedRead<K, T> {
  return of as unknown as KeyedRead<K, T>;
}

/** Gives a look-up the types of its rows and of its domain's events. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export function lookup<E extends Event, Row extends object, T>(of: {
  select: string;
  idsMax: number;
  ofRows: (rows: readonly Row[]) => T;
  ofEvent: (event: E) => T | undefined;
}): Lookup<T> {
  return of as unknown as Lookup<T>;
}

/** Checks nothing at run time: it lets the compiler hold a domain's parts against each other, then forgets their types. */
export function defineDomain<E extends Event, C extends Change<E>>(domain: Domain<E, C>): Domain {
  return domain as unknown as Domain;
}
