import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";

/** Every log file below a folder by its path: files in a folder named `log`, and those named `*.log`. */
export function logTexts(directory: string): ReadonlyMap<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const isLog = (file: string): boolean => file.endsWith(".log") || file.split(sep).includes("log");
  return new Map(files.filter(isLog).map((file) => [file, readFileSync(file, "utf8")]));
}
