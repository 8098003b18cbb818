import { contentOf, exampleEvents, fieldsOfEvent, type Domain } from "@tally/contract";
import { domains } from "@tally/domains";
import { Type, type TObject, type TSchema } from "typebox";
import { expect, test } from "vitest";
import { eventReader } from "../entries/event-reader.ts";

/* The schema of a domain's events is the truth: its routes, its examples and its files have the same fields. */

const schemasOf = (schema: TSchema): readonly TObject[] =>
  Type.IsUnion(schema) ? schema.anyOf.flatMap(schemasOf) : Type.IsObject(schema) ? [schema] : [];
const eventsOf = ({ routes }: Domain) => routes.flatMap((route) => Object.values(exampleEvents(route)).flat());
const namesIn = (values: readonly object[]) => [...new Set(values.flatMap((value) => Object.keys(value)))].toSorted();
const exported = domains.flatMap((domain) => (domain.files === undefined ? [] : [{ ...domain, files: domain.files }]));

test.each(domains)("$name: its examples have every field of the schema", (domain: Domain) => {
  const fields = namesIn(schemasOf(domain.event).map(({ properties }) => properties));
  expect(namesIn(eventsOf(domain))).toEqual(fields);
});

test.each(exported)("$name: an exported event is the same event when it is imported", (domain) => {
  const read = eventReader(domain);
  // Corrections of purchases have no files.
  const events = eventsOf(domain).filter((event) => domain.name !== "purchases" || !("kind" in event));
  const entries = events.map((event) => {
    const entry: object = JSON.parse(JSON.stringify(fieldsOfEvent(domain.files.fields, event)));
    expect(contentOf(read({ ...entry }, event.id), domain.arrivalFields)).toBe(contentOf(event, domain.arrivalFields));
    return entry;
  });
  expect(namesIn(entries)).toEqual(Object.keys(domain.files.fields).toSorted());
});
