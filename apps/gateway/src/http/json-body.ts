import { isUtf8 } from "node:buffer";
import { InvalidInput } from "@tally/pipeline";
import { duplicateKey } from "./duplicate-key.ts";

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;

// A megabyte of "[" is valid for JSON.parse and would overflow the stack of whoever walks the value.
const depthMax = 64;

/**
 * Reads a JSON text as strictly as what is sold deserves: UTF-8 only, and no object may name a key twice (JSON.parse would
 * keep the last and forget the first in silence). Nothing at all is undefined: some clients announce JSON and send none.
 * Costs about 1 µs for a purchase of 5 items.
 */
export function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw new InvalidInput("body", "UTF-8", "other bytes");
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch (error) {
    throw new InvalidInput("body", "JSON", error instanceof Error ? error.message : "something else");
  }
  // Every key is followed by the only kind of colon that stands outside a string. Where a key came twice there are more
  // colons than keys; only then is the text read again to say which.
  if (countColons(body) !== countKeys(value)) {
    throw new InvalidInput(duplicateKey(body.toString()) ?? "body", "each key once", "it twice");
  }
  return value;
}

function countColons(body: Buffer): number {
  let colons = 0;
  let inString = false;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i];
    if (byte === quote) inString = !inString;
    else if (byte === backslash) i++;
    else if (byte === colon && !inString) colons++;
  }
  return colons;
}

function countKeys(value: unknown, depth = 0): number {
  if (typeof value !== "object" || value === null) return 0;
  if (depth > depthMax) throw new InvalidInput("body", `at most ${depthMax} levels`, "more");
  let keys = 0;
  if (Array.isArray(value)) {
    for (const entry of value) if (typeof entry === "object") keys += countKeys(entry, depth + 1);
    return keys;
  }
  for (const entry of Object.values(value)) keys += typeof entry === "object" ? 1 + countKeys(entry, depth + 1) : 1;
  return keys;
}
