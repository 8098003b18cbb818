import { isDeepStrictEqual } from "node:util";

/** A JSON schema of the API reference (draft 2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * A TypeBox schema as the API reference shows it. `expected: "…"` becomes the description. A schema with `documented: {…}` is shown as that:
 * where the check is narrower or wider than what a client may know, such as digits that a number may replace. A choice of literals becomes an
 * enum. Functions and marks of TypeBox are left out.
 */
export function documentedSchema(schema: unknown): JsonSchema {
  if (typeof schema !== "object" || schema === null) return {};
  const shown = shownIn(schema);
  const expected: unknown = Reflect.get(schema, "expected");
  return typeof expected === "string" ? { ...shown, description: expected } : shown;
}

function shownIn(schema: object): JsonSchema {
  const documented: unknown = Reflect.get(schema, "documented");
  if (isRecord(documented)) return documented;
  const entries = Object.entries(schema).flatMap(([key, value]: [string, unknown]): [string, unknown][] => {
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
