import { firstProblem, InvalidInput, NotFound, type Domain, type EntryFields } from "@tally/contract";
import { Compile } from "typebox/compile";
import { ingestRoutesOf } from "./entry-fields.ts";
import { fittingRoute, partsOf, postOf, type EntryPost } from "./entry-request.ts";

/**
 * Returns a function that makes the POST of an event with these fields, or a sentence that names the field because of which the gateway would
 * reject it. It knows no rows: a review of an unknown album passes. Some µs for each event.
 */
export function entryReader(domain: Domain): (entry: EntryFields) => EntryPost | { readonly problem: string } {
  const checks = new Map(
    ingestRoutesOf(domain).map((route) => [
      route,
      { params: Compile(route.params), body: route.body === "ignored" ? undefined : Compile(route.body) },
    ]),
  );
  return (entry) => {
    const route = fittingRoute(domain, entry);
    if ("problem" in route) return route;
    const parts = partsOf(route, entry);
    if ("problem" in parts) return parts;
    const check = checks.get(route);
    if (check?.params.Check(parts.params) === false)
      return { problem: firstProblem(check.params, parts.params).message };
    if (check?.body?.Check(parts.fields) === false) return { problem: firstProblem(check.body, parts.fields).message };
    try {
      route.toEvent("", parts.params, parts.fields);
      return postOf(route, parts);
    } catch (error) {
      if (error instanceof InvalidInput || error instanceof NotFound) return { problem: error.message };
      throw error;
    }
  };
}
