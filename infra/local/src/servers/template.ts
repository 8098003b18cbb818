import { readFile } from "node:fs/promises";
import { join } from "node:path";

// These files define what each account may do. Docker Compose uses them too.
const templates = join(import.meta.dirname, "..", "..", "..");

/** A template such as `redis/users.conf` with its words in double braces filled in. Throws for a word without a value. */
export async function filledTemplate(name: string, values: Readonly<Record<string, string>>): Promise<string> {
  const text = await readFile(join(templates, name), "utf8");
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, word: string) => {
    const value = values[word];
    if (value === undefined) throw new TypeError(`${name}: no value for ${word}`);
    return value;
  });
}
