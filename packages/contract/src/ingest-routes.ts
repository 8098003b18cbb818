// The routes of all domains are in one list, so their types are erased. Its schemas check at run time what it is called
// with.
// oxlint-disable typescript/no-unsafe-type-assertion
import { Type, type Static, type TObject, type TSchema } from "typebox";
import type { Event } from "./batch.ts";
import type { EncodedEvent } from "./encoded-event.ts";
import type { Sources } from "./sources.ts";

/** An Idempotency-Key, in a header or in an entry of a bulk request. */
export const IdempotencyKey = Type.String({
  pattern: "^[\\x21-\\x7e]{1,255}$",
  expected: "1 to 255 visible ASCII characters",
});

/** What the API reference says about a route (CommonMark). */
export interface Described {
  /** A few words, without a full stop. */
  readonly summary: string;
  /** Further sentences. */
  readonly description?: string;
}

/**
 * Example requests of a route, by what they show. The API reference has them, and a test sends them to a running
 * system: first the events of all domains, in the order of the domains and of their routes, then the reads. A response
 * is compared with the one written here, except times and the ends of ids that contain one.
 */
export type Examples<Example> = Readonly<Record<string, Example>>;

/** Request parts that are absent have no values. A key makes the example's event id the same in every system. */
interface EventExample<Params, Body> {
  readonly params?: Params;
  readonly body?: Body;
  readonly idempotencyKey?: string;
}

interface FormExample<Params, Response> {
  readonly params?: Params;
  /** An object is sent as JSON, a text as its bytes in UTF-8. */
  readonly form: Readonly<Record<string, unknown>>;
  readonly idempotencyKey?: string;
  readonly response: Response;
}

export interface QueryExample<Params, Values, Response> {
  readonly params?: Params;
  readonly query?: Values;
  readonly response: Response;
}

/** Where a route is mounted; paths are Fastify's. Static segments win over parameters. */
export interface Mounted {
  /** At the root and below each base path. */
  readonly path: string;
  /** A second path, below base paths only: for clients whose base path alone names their service. */
  readonly pathUnderBase?: string;
}

/** A store as API keys name it: a number, or text without leading zeros. */
export type StoreId = number | string;

/** A route where each request is one event. All values in `params` are strings. */
export interface IngestRoute<E extends Event, Params = unknown, Body = unknown> extends Mounted, Described {
  readonly kind: "ingest";
  readonly params: TObject;
  /** "ignored": the body is not read. */
  readonly body: TSchema | "ignored";
  /** The scope of an Idempotency-Key. */
  readonly scope: (params: Params, body: Body) => string;
  /**
   * Throws InvalidInput for what the schemas cannot express. The event's id is `id`, or is made of the content if the
   * content identifies the event: then equal content is the same event, with any key.
   */
  readonly toEvent: (id: string, params: Params, body: Body) => E;
  /**
   * Encodes the event of a usual body from its bytes, without parsing it: encodeEvent(toEvent(id, params, body)).
   * Undefined for a body that is not usual; then it is parsed and checked.
   */
  readonly encodeUsual?: (id: string, params: Params, body: Buffer) => EncodedEvent | undefined;
  /** Throws NotFound when the request names something that does not exist. */
  readonly requires?: (params: Params, sources: Sources) => Promise<void>;
  /**
   * The store that a request is about, for API keys that are limited to stores. Absent or undefined: about no store or
   * several, and such keys are rejected.
   */
  readonly storeOf?: (params: Params, body: Body) => StoreId | undefined;
  readonly status: 200 | 201;
  /** The plain text of a 2xx; absent: an empty body. */
  readonly text?: string;
  readonly examples: Examples<EventExample<Params, Body>>;
}

/**
 * A route where each multipart/form-data request is one event. Its client can find it at once by its id: Sources.find.
 * Bytes in the event's own fields travel as they are.
 */
export interface FormRoute<E extends Event, Params = unknown, Response = unknown> extends Mounted, Described {
  readonly kind: "form";
  readonly params: TObject;
  /** The parts, for the API reference only: `toEvent` checks them. */
  readonly form: TObject;
  /** The scope of an Idempotency-Key. */
  readonly scope: (params: Params) => string;
  /** Throws InvalidInput for a form that is no such event. */
  readonly toEvent: (id: string, params: Params, form: Form) => E;
  readonly status: 200 | 201;
  readonly response: TSchema;
  /** The JSON body of a 2xx. `acceptedAtMs`: when the first request with its key arrived, as far as is known. */
  readonly respond: (event: E, acceptedAtMs: number) => Response;
  readonly examples: Examples<FormExample<Params, Response>>;
}

/** The parts of a form by name. */
export type Form = Readonly<Partial<Record<string, FormPart>>>;

export interface FormPart {
  readonly bytes: Buffer;
  /** As the client declares it, in lower case; default "text/plain". */
  readonly type: string;
}

/**
 * One HTTP request with many events, as a JSON array or as lines of JSON. Each entry is checked and acknowledged by
 * itself.
 */
export interface BulkRoute<E extends Event, Entry = unknown> extends Described {
  readonly kind: "bulk";
  readonly path: string;
  readonly entry: TSchema;
  readonly entriesMax: number;
  readonly scope: (entry: Entry) => string;
  /** The entry's own Idempotency-Key, if it has one. */
  readonly key: (entry: Entry) => string | undefined;
  readonly toEvent: (id: string, entry: Entry) => E;
  /** The store that an entry is about; see IngestRoute. */
  readonly storeOf?: (entry: Entry) => StoreId | undefined;
  readonly examples: Examples<{ readonly entries: readonly Entry[] }>;
}

/** A route as its author writes it: its functions take the static types of its schemas. */
export type Typed<Route, Schemas> = Omit<Route, "kind" | keyof Schemas> & Schemas;

// The gateway calls a route's functions only with values that the route's own schemas have accepted.
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
