import { endOfString, JsonByte, jsonByteAt } from "./json-bytes.ts";

interface Level {
  /** The keys seen in an object, or undefined in a list. */
  readonly keys: Set<string> | undefined;
  readonly path: string;
  index: number;
  key: string;
  expectsKey: boolean;
}

const openBrace = 0x7b;

/** The path of the first duplicate key, as "items[0].ItemID"; undefined without one. `json` is valid. */
export function duplicateKey(json: Buffer): string | undefined {
  const levels: Level[] = [];
  for (let i = 0; i < json.length; i++) {
    const level = levels.at(-1);
    switch (jsonByteAt(json, i)) {
      case JsonByte.open: {
        const keys = json[i] === openBrace ? new Set<string>() : undefined;
        levels.push({ keys, path: pathOf(level), index: 0, key: "", expectsKey: keys !== undefined });
        break;
      }
      case JsonByte.close:
        levels.pop();
        break;
      case JsonByte.comma:
        if (level !== undefined) {
          level.index++;
          level.expectsKey = level.keys !== undefined;
        }
        break;
      case JsonByte.quote: {
        const end = endOfString(json, i);
        if (level?.expectsKey === true && level.keys !== undefined) {
          // Parsed, because "a" and "\u0061" are the same key.
          level.key = String(JSON.parse(json.toString("utf8", i, end + 1)));
          if (level.keys.has(level.key)) return pathOf(level);
          level.keys.add(level.key);
          level.expectsKey = false;
        }
        i = end;
        break;
      }
      default: // a colon, white space, or within a number or a word
    }
  }
  return undefined;
}

function pathOf(level: Level | undefined): string {
  if (level === undefined) return "";
  if (level.keys === undefined) return `${level.path}[${level.index}]`;
  return level.path === "" ? level.key : `${level.path}.${level.key}`;
}
