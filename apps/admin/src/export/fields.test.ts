import { exampleEvents, type Domain } from "@tally/contract";
import { domains } from "@tally/domains";
import { Type, type TObject, type TSchema } from "typebox";
import { expect, test } from "vitest";

/* The schema of a domain's events is the truth: its routes and its examples have the same fields. */

const schemasOf = (schema: TSchema): readonly TObject[] =>
  Type.IsUnion(schema) ? schema.anyOf.flatMap(schemasOf) : Type.IsObject(schema) ? [schema] : [];
const eventsOf = ({ routes }: Domain) => routes.flatMap((route) => Object.values(exampleEvents(route)).flat());
const namesIn = (values: readonly object[]) => [...new Set(values.flatMap((value) => Object.keys(value)))].toSorted();

test.each(domains)("$name: its examples have every field of the schema", (domain: Domain) => {
  const fields = namesIn(schemasOf(domain.event).map(({ properties }) => properties));
  expect(namesIn(eventsOf(domain))).toEqual(fields);
});
