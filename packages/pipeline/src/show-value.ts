const charactersMax = 200;

/** What a client sent, for an error message: as JSON, cut to `max` characters. A list only by its length. */
export function showValue(value: unknown, max = charactersMax): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  // JSON.parse makes Infinity of 1e400, and JSON.stringify null of that.
  if (typeof value === "number" && !Number.isFinite(value)) return `a number beyond ±${Number.MAX_VALUE}`;
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > max ? `${text.slice(0, max - 3)}...` : text;
}
