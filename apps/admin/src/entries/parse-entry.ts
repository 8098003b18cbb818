import type { EntryFields } from "@tally/contract";

/** The object of a JSON text; undefined for any other text. */
export function parseEntry(json: string): EntryFields | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isObject(value: unknown): value is EntryFields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
