import { isUtf8 } from "node:buffer";
import { InvalidInput } from "./first-problem.ts";

// JSON.parse accepts a megabyte of "[", and code that walks such a value overflows its stack.
const depthMax = 64;
// Six times the values of the largest valid body, a purchase of 500 items. Parsing and checking them takes 10 ms.
const valuesMax = 10_000;

/** Parses a JSON text strictly: UTF-8 only, and no object may have a key twice. An empty body is undefined, because
 * some clients announce JSON and send nothing. Rejects too many levels or values before it parses. A purchase takes 1
 * µs. */
export function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw new InvalidInput("body", "UTF-8", "other bytes");
  const colons = countColons(body);
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch (error) {
    throw new InvalidInput("body", "JSON", error instanceof Error ? error.message : "something else");
  }
  // Each key has one colon outside strings, and JSON.parse keeps the last of equal keys: more colons mean a duplicate.
  if (colons !== countKeys(value)) throw new InvalidInput(duplicateKey(body) ?? "body", "each key once", "it twice");
  return value;
}

/** The colons outside strings. Throws InvalidInput at the first level or value beyond the limits. */
function countColons(json: Buffer): number {
  let colons = 0;
  let depth = 0;
  // Each value follows a comma, except the first of a list or object.
  let values = 1;
  for (let i = 0; i < json.length; i++) {
    switch (jsonByteAt(json, i)) {
      case JsonByte.quote:
        i = endOfString(json, i);
        break;
      case JsonByte.colon:
        colons++;
        break;
      case JsonByte.open:
        if (++depth > depthMax) throw tooMany("levels", depthMax);
        if (++values > valuesMax) throw tooMany("values", valuesMax);
        break;
      case JsonByte.close:
        depth--;
        break;
      case JsonByte.comma:
        if (++values > valuesMax) throw tooMany("values", valuesMax);
        break;
      default: // within a number, a word or white space
    }
  }
  return colons;
}

function tooMany(things: string, max: number): InvalidInput {
  return new InvalidInput("body", `at most ${max} ${things}`, "more");
}

function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let keys = 0;
  if (Array.isArray(value)) {
    for (const entry of value) if (typeof entry === "object") keys += countKeys(entry);
    return keys;
  }
  // for…in builds no list of keys, and sees own properties only: nothing adds to the prototype of all objects.
  for (const key in value) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const entry = (value as Readonly<Record<string, unknown>>)[key];
    keys += typeof entry === "object" ? 1 + countKeys(entry) : 1;
  }
  return keys;
}

/** An object or a list. */
interface Level {
  readonly path: string;
  /** None in a list. */
  readonly keys: Set<string>;
  /** The newest of `keys`. */
  key: string;
  index: number;
}

/** The path of the first duplicate key, as "items[0].ItemID"; undefined without one. `json` is valid. */
function duplicateKey(json: Buffer): string | undefined {
  const levels: Level[] = [];
  let text = json;
  for (let i = 0; i < json.length; i++) {
    const level = levels.at(-1);
    switch (jsonByteAt(json, i)) {
      case JsonByte.open:
        levels.push({ path: pathOf(level), keys: new Set(), key: "", index: 0 });
        break;
      case JsonByte.close:
        levels.pop();
        break;
      case JsonByte.comma:
        if (level !== undefined) level.index++;
        break;
      case JsonByte.quote: {
        const end = endOfString(json, i);
        text = json.subarray(i, end + 1);
        i = end;
        break;
      }
      case JsonByte.colon:
        if (level === undefined) break;
        // Parsed, because "a" and "\u0061" are the same key.
        level.key = String(JSON.parse(text.toString()));
        if (level.keys.has(level.key)) return pathOf(level);
        level.keys.add(level.key);
        break;
      default: // white space, or within a number or a word
    }
  }
  return undefined;
}

function pathOf(level: Level | undefined): string {
  if (level === undefined) return "";
  if (level.keys.size === 0) return `${level.path}[${level.index}]`;
  return level.path === "" ? level.key : `${level.path}.${level.key}`;
}

/** What a byte of a JSON text means outside a string. */
export const JsonByte = { other: 0, quote: 1, open: 2, close: 3, comma: 4, colon: 5 } as const;

// By byte: one lookup instead of six comparisons.
const kinds = new Uint8Array(256);
for (const [kind, characters] of ["", '"', "[{", "]}", ",", ":"].entries()) {
  for (const byte of Buffer.from(characters)) kinds[byte] = kind;
}

export function jsonByteAt(json: Uint8Array, at: number): number {
  return kinds[json[at] ?? 0] ?? JsonByte.other;
}

/** The index of the quote that ends the string that begins at `start`; the length of the text if there is none. */
export function endOfString(json: Uint8Array, start: number): number {
  const { length } = json;
  for (let i = start + 1; i < length; i++) {
    const byte = json[i];
    if (byte === 0x22) return i;
    if (byte === 0x5c) i++;
  }
  return length;
}
