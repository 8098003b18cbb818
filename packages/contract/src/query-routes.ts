// As in ingest-routes.ts.
// oxlint-disable typescript/no-unsafe-type-assertion
import type { Static, TObject, TSchema } from "typebox";
import type { Described, Examples, Mounted, QueryExample, StoreId, Typed } from "./ingest-routes.ts";
import type { Sources } from "./sources.ts";

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
  /** The store whose data are read; see IngestRoute. */
  readonly storeOf?: (request: Query<Params, Values>) => StoreId | undefined;
  /**
   * Responds with Sources.find: 404 for an unknown event, 503 for one that is not stored yet. For the API reference
   * only.
   */
  readonly finds?: true;
  readonly examples: Examples<QueryExample<Params, Values, Response>>;
}

/** A GET of bytes that never change. */
export interface ContentRoute<Params = unknown> extends Mounted, Described {
  readonly kind: "content";
  readonly params: TObject;
  /** The media types that `respond` returns, for the API reference only. */
  readonly types: readonly string[];
  readonly respond: (params: Params, sources: Sources) => Promise<Content>;
  readonly finds?: true;
  readonly examples: Examples<{ readonly params: Params }>;
}

export interface Content {
  readonly type: string;
  readonly bytes: Buffer;
}

export function queryRoute<P extends TObject, Q extends TObject, R extends TSchema>(
  route: Typed<QueryRoute<Static<P>, Static<Q>, Static<R>>, { params: P; query: Q; response: R }>,
): QueryRoute {
  return { kind: "query", ...route } as unknown as QueryRoute;
}

export function contentRoute<P extends TObject>(route: Typed<ContentRoute<Static<P>>, { params: P }>): ContentRoute {
  return { kind: "content", ...route } as unknown as ContentRoute;
}
