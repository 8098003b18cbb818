import { readFile } from "node:fs/promises";

/** The last lines of a server's log, indented, for an error message. */
export async function lastLines(file: string, count = 15): Promise<string> {
  const text = await readFile(file, "utf8").catch(() => "");
  const lines = text.trimEnd().split("\n").slice(-count);
  return lines.map((line) => `    ${line}`).join("\n");
}
