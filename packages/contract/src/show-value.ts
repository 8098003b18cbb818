const charactersMax = 200;

/** A value for an error message: as JSON, at most `max` characters. Of a list only the length. */
export function showValue(value: unknown, max = charactersMax): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  // JSON.parse makes Infinity of 1e400, and JSON.stringify makes null of Infinity.
  if (typeof value === "number" && !Number.isFinite(value)) return `a number beyond ±${Number.MAX_VALUE}`;
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > max ? `${text.slice(0, max - 3)}...` : text;
}
