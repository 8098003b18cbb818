import { firstProblem, InvalidInput, type Domain, type EntryFields, type Event, type Validator } from "@tally/contract";
import { Compile } from "typebox/compile";
import { bulkRouteOf, ingestRoutesOf, keyColumn } from "./entry-fields.ts";
import { fittingRoute, partsOf } from "./entry-request.ts";

/** Makes the event of an exported entry, as a gateway does when the entry is imported. Throws InvalidInput. */
export function eventReader(domain: Domain): (entry: EntryFields, id: string) => Event {
  const bulk = bulkRouteOf(domain);
  if (bulk !== undefined) {
    const check = Compile(bulk.entry);
    return (entry, id) => {
      expectValid(check, entry);
      return bulk.toEvent(id, entry);
    };
  }
  const routes = ingestRoutesOf(domain);
  const checks = new Map(
    routes.map((route) => [
      route,
      { params: Compile(route.params), body: route.body === "ignored" ? undefined : Compile(route.body) },
    ]),
  );
  return ({ [keyColumn]: _key, ...entry }, id) => {
    const route = fittingRoute(domain, routes, entry);
    const parts = partsOf(route, entry);
    const check = checks.get(route);
    if (check !== undefined) expectValid(check.params, parts.params);
    if (check?.body !== undefined) expectValid(check.body, parts.fields);
    return route.toEvent(id, parts.params, parts.fields);
  };
}

function expectValid(check: Validator, value: unknown): void {
  if (!check.Check(value)) throw InvalidInput.of(firstProblem(check, value));
}
