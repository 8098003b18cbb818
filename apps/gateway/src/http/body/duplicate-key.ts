interface Level {
  /** The keys seen in an object, or undefined in a list. */
  readonly keys: Set<string> | undefined;
  readonly path: string;
  index: number;
  key: string;
  expectsKey: boolean;
}

/** The path of the first duplicate key, as "items[0].ItemID"; undefined without one. `text` is valid JSON. */
export function duplicateKey(text: string): string | undefined {
  const levels: Level[] = [];
  for (let i = 0; i < text.length; i++) {
    const level = levels.at(-1);
    switch (text.charAt(i)) {
      case "{":
        levels.push({ keys: new Set(), path: pathOf(level), index: 0, key: "", expectsKey: true });
        break;
      case "[":
        levels.push({ keys: undefined, path: pathOf(level), index: 0, key: "", expectsKey: false });
        break;
      case "}":
      case "]":
        levels.pop();
        break;
      case ",":
        if (level !== undefined) {
          level.index++;
          level.expectsKey = level.keys !== undefined;
        }
        break;
      case '"': {
        const end = endOfString(text, i);
        if (level?.expectsKey === true && level.keys !== undefined) {
          // Parsed, because "a" and "\u0061" are the same key.
          level.key = String(JSON.parse(text.slice(i, end + 1)));
          if (level.keys.has(level.key)) return pathOf(level);
          level.keys.add(level.key);
          level.expectsKey = false;
        }
        i = end;
        break;
      }
      default: // between values, or within a number or a word
    }
  }
  return undefined;
}

function pathOf(level: Level | undefined): string {
  if (level === undefined) return "";
  if (level.keys === undefined) return `${level.path}[${level.index}]`;
  return level.path === "" ? level.key : `${level.path}.${level.key}`;
}

function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (text[i] !== '"') i += text[i] === "\\" ? 2 : 1;
  return i;
}
