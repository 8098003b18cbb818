import { Type, type Static, type TObject, type TSchema } from "typebox";
import type { EncodedEvent, Event } from "./encoded-event.ts";
import type { InvalidInput } from "./first-problem.ts";
import type { Sources } from "./sources.ts";
import type { SqlTransaction } from "./sql.ts";

// The routes of all domains are in one list, so their types are erased. The gateway calls a route's functions only with
// values that the route's own schemas have accepted.
// oxlint-disable typescript/no-unsafe-type-assertion

export const IdempotencyKey = Type.String({
  pattern: "^[\\x21-\\x7e]{1,255}$",
  expected: "1 to 255 visible ASCII characters",
});

/** What the API reference says about a route (CommonMark). */
export interface Described {
  readonly summary: string;
  readonly description?: string;
}

/** Example requests of a route, by what they show, for the API reference. A test sends them to a running system: the
 * events of all domains, then the reads. It compares responses, except times and the ends of ids that contain one. */
type Examples<Example> = Readonly<Record<string, Example>>;

/** A key makes the example's event id the same in every system. */
interface EventExample<Params> {
  readonly params?: Params;
  readonly idempotencyKey?: string;
}

interface FormExample<Params, Response> extends EventExample<Params> {
  /** An object is sent as JSON, a text in UTF-8. */
  readonly form: Readonly<Record<string, unknown>>;
  readonly response: Response;
}

/** Paths are Fastify's: static segments win over parameters. */
interface Mounted {
  /** At the root and below each base path. */
  readonly path: string;
  /** A second path, below base paths only: for clients whose base path alone names their service. */
  readonly pathUnderBase?: string;
}

/** A store as API keys name it: a number, or text without leading zeros. */
type StoreId = number | string;

/** A route where each request is one event. All values in `params` are strings. */
export interface IngestRoute<E extends Event, Params = unknown, Body = unknown> extends Mounted, Described {
  readonly kind: "ingest";
  readonly params: TObject;
  /** "ignored": the body is not read. */
  readonly body: TSchema | "ignored";
  /** No body is an empty object. */
  readonly mayLackBody?: true;
  /** A request without an Idempotency-Key is rejected. */
  readonly requiresKey?: true;
  /** The scope of an Idempotency-Key. */
  readonly scope: (params: Params, body: Body) => string;
  /** Throws InvalidInput for what the schemas cannot express, at any time the same. The event's id is `id`, or is made of
   * the content if that identifies the event: then equal content is the same event, with any key. */
  readonly toEvent: (id: string, params: Params, body: Body) => E;
  /** encodeEvent(toEvent(id, params, body)) without parsing the body; undefined: parse it, and call `check`. */
  readonly encodeUsual?: (id: string, params: Params, body: Buffer) => EncodedEvent | undefined;
  /** Rejects only with InvalidInput, for what depends on stored data or the clock. Returns undefined when it needs no I/O. */
  check?(event: NoInfer<E>, sources: Sources): Promise<void> | undefined;
  /** Throws NotFound when the request names something that does not exist. */
  readonly requires?: (params: Params, sources: Sources) => Promise<void>;
  /** For API keys that are limited to stores: undefined is about no store or several, and such keys are rejected. */
  readonly storeOf?: (params: Params, body: Body) => StoreId | undefined;
  /** Instead of storeOf, where only what is stored names the store. Throws NotFound. */
  readonly storeOfStored?: (params: Params, sources: Sources) => Promise<StoreId>;
  readonly status: 200 | 201;
  /** The plain text of a 2xx; absent: an empty body. */
  readonly text?: string;
  readonly examples: Examples<EventExample<Params> & { readonly body?: Body }>;
}

/** Each multipart/form-data request is one event. Its client can find it at once by its id: Sources.find. */
export interface FormRoute<E extends Event, Params = unknown, Response = unknown> extends Mounted, Described {
  readonly kind: "form";
  readonly params: TObject;
  /** The parts, for the API reference only: `toEvent` checks them. */
  readonly form: TObject;
  /** The scope of an Idempotency-Key. */
  readonly scope: (params: Params) => string;
  readonly toEvent: (id: string, params: Params, form: Form) => E;
  readonly status: 200 | 201;
  readonly response: TSchema;
  /** The JSON body of a 2xx. `acceptedAtMs`: when the first request with its key arrived, as far as is known. */
  readonly respond: (event: E, acceptedAtMs: number) => Response;
  readonly examples: Examples<FormExample<Params, Response>>;
}

export type Form = Readonly<Partial<Record<string, FormPart>>>;

export interface FormPart {
  readonly bytes: Buffer;
  /** As the client declares it, in lower case; default "text/plain". */
  readonly type: string;
}

/** Many events as a JSON array or as lines of JSON. Each entry is checked and acknowledged by itself. */
export interface BulkRoute<E extends Event, Entry = unknown> extends Described {
  readonly kind: "bulk";
  readonly path: string;
  readonly entry: TSchema;
  readonly entriesMax: number;
  readonly scope: (entry: Entry) => string;
  readonly key: (entry: Entry) => string | undefined;
  /** An entry without a key is rejected, unless the request has one. */
  readonly requiresKeys?: true;
  readonly toEvent: (id: string, entry: Entry) => E;
  /** As in IngestRoute. */
  check?(event: NoInfer<E>, sources: Sources): Promise<void> | undefined;
  readonly storeOf?: (entry: Entry) => StoreId | undefined;
  readonly examples: Examples<{ readonly entries: readonly Entry[] }>;
}

/** A PUT of configuration, which is no event: the gateway writes it in a transaction of the account of
 * OPERATOR_DATABASE_URL. Its clients need the scope `operate`. */
export interface PutRoute<Params = unknown, Body = unknown, Row = unknown, Response = unknown>
  extends Mounted, Described {
  readonly kind: "put";
  readonly params: TObject;
  readonly body: TSchema;
  readonly response: TSchema;
  /** Requests with equal scopes change the same rows. */
  readonly scope: (params: Params) => string;
  readonly storeOf: (params: Params) => StoreId | undefined;
  /** Throws InvalidInput for what the schemas cannot express. */
  readonly rowOf: (params: Params, body: Body) => Row;
  /** Writes the rows of requests in their order, and returns their responses, or why a row was not written. Safe
   * to repeat. */
  readonly put: (
    rows: readonly Row[],
    transaction: SqlTransaction,
    settings: Pick<Sources, "currency">,
  ) => Promise<readonly (Response | InvalidInput)[]>;
  readonly examples: Examples<{ readonly params: Params; readonly body: Body; readonly response: Response }>;
}

/** A route as its author writes it: its functions take the static types of its schemas. */
type Typed<Route, Schemas> = Omit<Route, "kind" | keyof Schemas> & Schemas;

export function ingestRoute<E extends Event, P extends TObject, B extends TSchema | "ignored">(
  route: Typed<IngestRoute<E, Static<P>, B extends TSchema ? Static<B> : undefined>, { params: P; body: B }>,
): IngestRoute<E> {
  return { kind: "ingest", ...route } as unknown as IngestRoute<E>;
}

export function formRoute<E extends Event, P extends TObject, R extends TSchema>(
  route: Typed<FormRoute<E, Static<P>, Static<R>>, { params: P; response: R }>,
): FormRoute<E> {
  return { kind: "form", ...route } as unknown as FormRoute<E>;
}

export function bulkRoute<E extends Event, S extends TSchema>(
  route: Typed<BulkRoute<E, Static<S>>, { entry: S }>,
): BulkRoute<E> {
  return { kind: "bulk", ...route } as unknown as BulkRoute<E>;
}

export function putRoute<P extends TObject, B extends TSchema, Row, R extends TSchema>(
  route: Typed<PutRoute<Static<P>, Static<B>, Row, Static<R>>, { params: P; body: B; response: R }>,
): PutRoute {
  return { kind: "put", ...route } as unknown as PutRoute;
}

interface Query<Params, Values> {
  readonly params: Params;
  readonly query: Values;
}

/** A GET. Its result is sent in the shape of `response`, as JSON or as plain text. */
export interface QueryRoute<Params = unknown, Values = unknown, Response = unknown> extends Mounted, Described {
  readonly kind: "query";
  readonly params: TObject;
  readonly query: TObject;
  readonly response: TSchema;
  readonly as?: "text";
  readonly respond: (request: Query<Params, Values>, sources: Sources) => Promise<Response>;
  readonly storeOf?: (request: Query<Params, Values>) => StoreId | undefined;
  /** Instead of storeOf, where only the response names the store. */
  readonly storeOfResponse?: (response: Response) => StoreId;
  /** GET /live repeats it only this often, because it costs much. */
  readonly everyMs?: number;
  /** Responds with Sources.find: 404, or 503 if not stored yet. For the API reference only. */
  readonly finds?: true;
  /** Throws NotFound for what is not stored. For the API reference only. */
  readonly mayMiss?: true;
  readonly examples: Examples<Partial<Query<Params, Values>> & { readonly response: Response }>;
}

/** A GET of bytes that never change. */
export interface ContentRoute<Params = unknown> extends Mounted, Described {
  readonly kind: "content";
  readonly params: TObject;
  /** For the API reference only. */
  readonly types: readonly string[];
  readonly respond: (params: Params, sources: Sources) => Promise<Content>;
  readonly finds?: true;
  readonly examples: Examples<{ readonly params: Params }>;
}

export interface Content {
  readonly type: string;
  readonly bytes: Buffer;
}

const none = Type.Object({}, { additionalProperties: false });

/** `params` and `query`: by default none. */
export function queryRoute<R extends TSchema, P extends TObject = typeof none, Q extends TObject = typeof none>(
  route: Typed<QueryRoute<Static<P>, Static<Q>, Static<R>>, { params?: P; query?: Q; response: R }>,
): QueryRoute {
  return { kind: "query", params: none, query: none, ...route } as unknown as QueryRoute;
}

export function contentRoute<P extends TObject>(route: Typed<ContentRoute<Static<P>>, { params: P }>): ContentRoute {
  return { kind: "content", ...route } as unknown as ContentRoute;
}
