import { InvalidInput, NotFound, type BulkRoute, type Domain, type EntryFields, type Event } from "@tally/contract";
import type { TSchema } from "typebox";
import { Check } from "typebox/value";
import { expectationOf, fieldsOf, ownRoutesOf, problemOf, type OwnRoute } from "./entry-fields.ts";

export interface EntryRequest {
  readonly path: string;
  /** JSON; empty for a route that ignores its body. */
  readonly body: string;
  /** Requests with equal scopes are sent in their order and at least 1 ms apart. Undefined: the gateway will reject the request. */
  readonly scope: string | undefined;
  /** The body of a 2xx to a PUT; undefined: the request is the POST of an event. */
  readonly stored: TSchema | undefined;
}

/** The POST or PUT of these fields, whose values the gateway checks. Throws InvalidInput for a wrong field. */
export function requestOf(domain: Domain, entry: EntryFields): EntryRequest {
  const route = fittingRoute(domain, ownRoutesOf(domain), entry);
  const { params, fields } = partsOf(route, entry);
  const path = route.path.replaceAll(/:(\w+)/g, (_match, name: string) => encodeURIComponent(params[name] ?? ""));
  const body = route.body === "ignored" ? "" : JSON.stringify(fields);
  return {
    path,
    body,
    scope: scopeOf(route, params, fields),
    stored: route.kind === "put" ? route.response : undefined,
  };
}

/** Which of these routes takes these fields. Throws InvalidInput for a wrong field. */
export function fittingRoute<R extends OwnRoute | BulkRoute<Event>>(
  { name }: Domain,
  routes: readonly R[],
  entry: EntryFields,
): R {
  const names = Object.keys(entry);
  const problems = routes.map((route) => ({ route, problem: problemOf(route, names) }));
  const fitting = problems.find(({ problem }) => problem === undefined);
  if (fitting !== undefined) return fitting.route;
  // The route with the most of the given fields is the one that was meant.
  const [meant] = problems.toSorted((a, b) => shared(b.route, names) - shared(a.route, names));
  const message = meant?.problem ?? `${name}: expected a domain whose events are JSON`;
  throw InvalidInput.of({ field: "", expected: "", message });
}

function shared(route: OwnRoute | BulkRoute<Event>, names: readonly string[]): number {
  const fields = fieldsOf(route);
  return names.filter((name) => name in fields).length;
}

/** Divides the fields of an event into those of a route's path and those of its body. Throws InvalidInput. */
export function partsOf(route: OwnRoute, entry: EntryFields) {
  const params: Record<string, string> = {};
  for (const [name, schema] of Object.entries(route.params.properties)) {
    const value = entry[name];
    const isText = typeof value === "string" && value !== "" && value.isWellFormed();
    if (!isText && typeof value !== "number") throw new InvalidInput(name, expectationOf(schema), value);
    params[name] = String(value);
  }
  return { params, fields: Object.fromEntries(Object.entries(entry).filter(([name]) => !(name in params))) };
}

/** The scope by the route's own rule, which may be called with valid values only. */
function scopeOf(route: OwnRoute, params: object, body: object): string | undefined {
  const isValid = Check(route.params, params) && (route.body === "ignored" || Check(route.body, body));
  if (!isValid) return undefined;
  try {
    return route.scope(params, body);
  } catch (error) {
    if (error instanceof InvalidInput || error instanceof NotFound) return undefined;
    throw error;
  }
}
