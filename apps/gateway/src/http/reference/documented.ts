import { isDeepStrictEqual } from "node:util";
import type {
  BulkRoute,
  ContentRoute,
  Described,
  Domain,
  Event,
  FormRoute,
  IngestRoute,
  QueryRoute,
} from "@tally/contract";
import type { RouteAccess } from "../../admission/admission.ts";
import type { ErrorCode } from "../../errors/catalogue.ts";

/** What the API reference says about a route of a domain: the domain's own words. */
export interface DomainDocument {
  readonly domain: Domain;
  readonly route: IngestRoute<Event> | FormRoute<Event> | BulkRoute<Event> | QueryRoute | ContentRoute;
}

/** What it says about a route of the gateway itself. Params, query and response come from the route's schema. */
export interface OwnDocument extends Described {
  /** As it is below each base path. */
  readonly path: string;
  /** The media type of the response; default JSON. */
  readonly type?: string;
  /** Besides those that its access, its params and its query bring. */
  readonly errors?: readonly ErrorCode[];
  /** By what they show. A response that is long, or differs from system to system, is absent. */
  readonly examples?: Readonly<Record<string, RequestValues & { readonly response?: unknown }>>;
}

/** The values of one example request. */
export interface RequestValues {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly idempotencyKey?: string | undefined;
}

/** A route that the reference describes. */
export interface ServedRoute {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly access: RouteAccess;
  readonly documented: DomainDocument | OwnDocument;
  /** Of a route of the gateway itself. `response`: of the 200. */
  readonly schema: { readonly params?: unknown; readonly querystring?: unknown; readonly response?: unknown };
}

/** A JSON schema of the API reference (draft 2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * A TypeBox schema as the API reference shows it. `expected: "…"` becomes the description. A schema with `documented:
 * {…}` is shown as that: where the check is narrower or wider than what a client may know, such as digits that a number
 * may replace. A choice of literals becomes an enum. Functions and marks of TypeBox are left out.
 */
export function documentedSchema(schema: unknown): JsonSchema {
  if (!isRecord(schema)) return {};
  const { expected, documented } = schema;
  const shown = isRecord(documented) ? documented : shownIn(schema);
  return typeof expected === "string" ? { ...shown, description: expected } : shown;
}

function shownIn(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (key.startsWith("~") || key === "expected") return [];
    if ((key === "properties" || key === "patternProperties") && isRecord(value)) {
      return [[key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, documentedSchema(one)]))]];
    }
    if ((key === "items" || key === "additionalProperties") && isRecord(value)) return [[key, documentedSchema(value)]];
    if (key === "anyOf" && Array.isArray(value)) return choiceOf(value.map(documentedSchema));
    return [[key, value]];
  });
  return Object.fromEntries(entries);
}

/** The alternatives of a choice, each once, without choices among them. */
function choiceOf(alternatives: readonly JsonSchema[]): [string, unknown][] {
  const literals = alternatives.flatMap((one) => ("const" in one ? [one["const"]] : []));
  if (literals.length === alternatives.length)
    return [
      ["type", typeof literals[0]],
      ["enum", literals],
    ];
  const flat = alternatives.flatMap((one) => (Array.isArray(one["anyOf"]) ? one["anyOf"].filter(isRecord) : [one]));
  const once = flat.filter((one, at) => flat.findIndex((other) => isDeepStrictEqual(one, other)) === at);
  return [["anyOf", once]];
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** "page": part of a web page, which the reference leaves out. */
    documented?: DomainDocument | OwnDocument | "page";
  }
}
