import type { TSchema } from "typebox";

/** A list that is longer than its schema allows. */
export interface LongList {
  /** JSON pointers. */
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly list: readonly unknown[];
}

/** The first list with more entries than its schema's maxItems. Follows the properties of the schema and enters no list: constant cost. */
export function longList(schema: TSchema, value: unknown, instancePath = "", schemaPath = "#"): LongList | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) {
    const max: unknown = Reflect.get(schema, "maxItems");
    return typeof max === "number" && value.length > max ? { instancePath, schemaPath, list: value } : undefined;
  }
  const properties: unknown = Reflect.get(schema, "properties");
  if (typeof properties !== "object" || properties === null) return undefined;
  for (const [name, property] of Object.entries(properties)) {
    if (!Object.hasOwn(value, name)) continue;
    const found = longList(
      property,
      Reflect.get(value, name),
      `${instancePath}/${escapePointer(name)}`,
      `${schemaPath}/properties/${escapePointer(name)}`,
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Escapes a name for a JSON pointer (RFC 6901). */
export function escapePointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
