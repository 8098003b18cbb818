import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { reasonOf } from "@tally/runtime";
import { printedSources } from "../printed/printed-sources.ts";
import { replaceFile } from "../replace-file.ts";
import { WrongUsage } from "../wrong-usage.ts";
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

/** Writes files into a folder, each whole or not at all, and returns their paths. Throws a WrongUsage where one cannot be written. */
export async function writeAll(folder: string, contents: ReadonlyMap<string, string>): Promise<readonly string[]> {
  const files: string[] = [];
  try {
    await mkdir(folder, { recursive: true });
    for (const [name, content] of contents) {
      const file = join(folder, name);
      await replaceFile(file, content);
      files.push(file);
    }
  } catch (error) {
    throw new WrongUsage(`${folder} cannot be written: ${reasonOf(error)}`, { cause: error });
  }
  return files;
}
