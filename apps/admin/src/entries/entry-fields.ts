import { fieldIn, InvalidInput, parseJsonBody } from "@tally/contract";
import type { BulkRoute, Domain, EntryFields, Event, IngestRoute, PutRoute } from "@tally/contract";
import { Type, type TObject, type TSchema } from "typebox";

/** An entry's own Idempotency-Key. */
export const keyColumn = "idempotencyKey";

export type OwnRoute = IngestRoute<Event> | PutRoute;

/** The routes of a domain where each request is one event without files. */
export function ingestRoutesOf({ routes }: Domain): readonly IngestRoute<Event>[] {
  return routes.filter((route) => route.kind === "ingest");
}

/** Likewise, or the routes of configuration, see fileDomainNamed. */
export function ownRoutesOf(domain: Domain): readonly OwnRoute[] {
  return domain.routes.length === 0 ? domain.puts : ingestRoutesOf(domain);
}

/** The route of a domain that takes many events at once. */
export function bulkRouteOf({ routes }: Domain): BulkRoute<Event> | undefined {
  return routes.find((route) => route.kind === "bulk");
}

/** The bulk route, which takes events of one kind. A domain without a bulk route: its own routes. */
export function routesOf(domain: Domain): readonly (OwnRoute | BulkRoute<Event>)[] {
  const bulk = bulkRouteOf(domain);
  return bulk === undefined ? ownRoutesOf(domain) : [bulk];
}

/** The fields of a route by name: those of its path, then those of its body. */
export function fieldsOf(route: OwnRoute | BulkRoute<Event>): Readonly<Record<string, TSchema>> {
  return Object.assign({}, ...partsOf(route).map(({ properties }) => properties));
}

/** A sentence that names the first of these fields that a route does not have, or that is missing. */
export function problemOf(route: OwnRoute | BulkRoute<Event>, names: readonly string[]): string | undefined {
  const fields = fieldsOf(route);
  const missing = requiredOf(route).find((name) => !names.includes(name));
  if (missing !== undefined) return `${missing}: expected ${expectationOf(fields[missing])}, got nothing`;
  const unknown = names.find((name) => !(name in fields));
  return unknown === undefined
    ? undefined
    : `${unknown}: expected no such field; there are ${Object.keys(fields).join(", ")}`;
}

/** Without the key: an import makes one. */
function requiredOf(route: OwnRoute | BulkRoute<Event>): readonly string[] {
  return partsOf(route).flatMap(({ required, properties }) =>
    // A schema without required fields has no such list.
    Array.isArray(required)
      ? required.filter((name): name is string => typeof name === "string" && name in properties && name !== keyColumn)
      : [],
  );
}

/** What a field expects, in words, for messages and help. */
export function expectationOf(schema: TSchema | undefined): string {
  const expected = fieldIn(schema, "expected");
  return typeof expected === "string" ? expected : "a value";
}

function partsOf(route: OwnRoute | BulkRoute<Event>): readonly TObject[] {
  if (route.kind === "bulk") return objectsOf(route.entry);
  return [route.params, ...(route.body === "ignored" ? [] : objectsOf(route.body))];
}

function objectsOf(schema: TSchema): readonly TObject[] {
  return Type.IsObject(schema) ? [schema] : [];
}

/** The value of a text, such as a CSV cell or a flag. Throws InvalidInput for JSON that a gateway rejects. */
export function cellValue(name: string, schema: TSchema | undefined, text: string): unknown {
  if (Type.IsInteger(schema) || Type.IsNumber(schema)) return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  if (Type.IsBoolean(schema)) return text === "true" || (text === "false" ? false : text);
  if (!Type.IsArray(schema) && !Type.IsObject(schema)) return text;
  try {
    return parseJsonBody(Buffer.from(text)) ?? null;
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw InvalidInput.of({ field: name, expected: "", message: `${name}: ${error.message.replace(/^body: /, "")}` });
  }
}

/** The object of a JSON text; undefined for any other value. Throws InvalidInput for a text that a gateway rejects. */
export function parseEntry(json: string): EntryFields | undefined {
  const value = parseJsonBody(Buffer.from(json));
  return isObject(value) ? value : undefined;
}

function isObject(value: unknown): value is EntryFields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
