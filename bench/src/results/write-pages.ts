import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { printedSources } from "../printed/printed-sources.ts";
import { indexPage } from "./index-page.ts";
import { sourcePage } from "./source-page.ts";
import type { StoredRun } from "./stored-run.ts";

/** The pages by their file names. The same runs make the same pages. */
export async function pagesOf(runs: readonly StoredRun[]): Promise<ReadonlyMap<string, string>> {
  const pages = new Map([["index.html", await indexPage(runs)]]);
  for (const source of printedSources) {
    const own = runs.filter((run) => run.source === source.name);
    pages.set(`${source.name}.html`, await sourcePage(source, own));
  }
  return pages;
}

/** Writes the pages and returns their files. */
export async function writePages(folder: string, runs: readonly StoredRun[]): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true });
  const files: string[] = [];
  for (const [name, content] of await pagesOf(runs)) {
    const file = join(folder, name);
    await writeFile(file, content);
    files.push(file);
  }
  return files;
}
