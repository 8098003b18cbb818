import { isDeepStrictEqual } from "node:util";
import type { Described, Domain } from "@tally/contract";
import type { FastifySchema } from "fastify";
import type { RouteAccess } from "../../admission/admission.ts";
import type { ErrorCode } from "../../errors/catalogue.ts";

interface DomainDocument {
  readonly domain: Domain;
  readonly route: Domain["routes" | "queries" | "puts"][number];
}

/** A route of the gateway itself. */
export interface OwnDocument extends Described {
  readonly kind?: undefined;
  /** As it is below each base path. */
  readonly path: string;
  /** The media type of the response; default JSON. */
  readonly type?: string;
  /** Besides those that its access, its params and its query bring. */
  readonly errors?: readonly ErrorCode[];
  /** By what they show. A response that is long, or differs from system to system, is absent. */
  readonly examples?: Named<{ readonly params?: unknown; readonly query?: unknown; readonly response?: unknown }>;
}

/** A route that the reference describes. */
export interface ServedRoute {
  readonly method: "GET" | "POST" | "PUT";
  readonly url: string;
  readonly access: RouteAccess;
  readonly domain: Domain | undefined;
  readonly document: DomainDocument["route"] | OwnDocument;
  readonly schema: FastifySchema;
}

/** A JSON schema of the API reference (draft 2020-12). */
export type JsonSchema = Named<unknown>;

/** A TypeBox schema as the API reference shows it. `expected: "…"` becomes the description. A schema with `documented:
 * {…}` is shown as that: its check is narrower or wider than what a client may know. A choice of literals is an enum.
 */
export function documentedSchema(schema: unknown): JsonSchema {
  if (!isRecord(schema)) return {};
  const { expected, documented } = schema;
  const shown = isRecord(documented) ? documented : shownIn(schema);
  return typeof expected === "string" ? { ...shown, description: expected } : shown;
}

function shownIn(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (key === "expected") return [];
    if (key === "anyOf" && Array.isArray(value)) return choiceOf(value.map(documentedSchema));
    if (!isRecord(value)) return [[key, value]];
    if (key === "properties" || key === "patternProperties") return [[key, mapValues(value, documentedSchema)]];
    return [[key, key === "items" || key === "additionalProperties" ? documentedSchema(value) : value]];
  });
  return Object.fromEntries(entries);
}

/** The alternatives of a choice, each once, without choices among them. */
function choiceOf(alternatives: readonly JsonSchema[]): [string, unknown][] {
  const literals = alternatives.flatMap((one) => ("const" in one ? [one["const"]] : []));
  if (literals.length === alternatives.length) return Object.entries({ type: typeof literals[0], enum: literals });
  const flat = alternatives.flatMap((one) => (Array.isArray(one["anyOf"]) ? one["anyOf"].filter(isRecord) : [one]));
  return [["anyOf", flat.filter((one, at) => flat.findIndex((other) => isDeepStrictEqual(one, other)) === at)]];
}

export function isRecord(value: unknown): value is Named<unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export type Named<T> = Readonly<Record<string, T>>;

export function mapValues<T, R>(record: Named<T>, of: (value: T) => R): Named<R> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, of(value)]));
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** "page": part of a web page, which the reference leaves out. */
    documented?: DomainDocument | OwnDocument | "page";
  }
}
