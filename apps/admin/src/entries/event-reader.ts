import { firstProblem, InvalidInput, type Domain, type EntryFields, type Event } from "@tally/contract";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { Check } from "typebox/value";
import { bulkRouteOf, ingestRoutesOf, keyColumn } from "./entry-fields.ts";
import { fittingRoute, partsOf } from "./entry-request.ts";

/** Makes the event of an exported entry, as a gateway does when the entry is imported. Throws InvalidInput. */
export function eventReader(domain: Domain): (entry: EntryFields, id: string) => Event {
  const bulk = bulkRouteOf(domain);
  if (bulk !== undefined) {
    const check = Compile(bulk.entry);
    return (entry, id) => {
      if (!check.Check(entry)) throw InvalidInput.of(firstProblem(check, entry));
      return bulk.toEvent(id, entry);
    };
  }
  const routes = ingestRoutesOf(domain);
  return ({ [keyColumn]: _key, ...entry }, id) => {
    const route = fittingRoute(domain, routes, entry);
    const { params, fields } = partsOf(route, entry);
    expectValid(route.params, params);
    if (route.body !== "ignored") expectValid(route.body, fields);
    return route.toEvent(id, params, fields);
  };
}

function expectValid(schema: TSchema, value: unknown): void {
  if (!Check(schema, value)) throw InvalidInput.of(firstProblem(Compile(schema), value));
}
