import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDirectory } from "@tally/local/at-end";
import { countOf, openDatabase, startSystem } from "./system.ts";
import { expectAllKept, tallyJson } from "./tally.ts";

/** A system for imports, a folder for their files, and the ids that they wrote. */
export async function openImports() {
  const system = await startSystem();
  const database = openDatabase(system);
  const folder = await temporaryDirectory();
  const idsFile = join(folder, "ids");
  const acknowledged = new Set<string>();

  async function noteIds(path = idsFile): Promise<number> {
    const ids = (await readFile(path, "utf8")).split("\n").filter((id) => id !== "");
    for (const id of ids) acknowledged.add(id);
    return ids.length;
  }

  return {
    system,
    database,
    folder,
    idsFile,
    noteIds,
    /** Writes a file of lines; returns its path. */
    file: async (name: string, lines: readonly string[]): Promise<string> => {
      const path = join(folder, name);
      await writeFile(path, lines.map((line) => `${line}\n`).join(""));
      return path;
    },
    /** Runs an import to its end; returns what it prints with --json. */
    importFile: async (path: string, ...flags: readonly string[]) => {
      const result = await tallyJson(system, "import", path, "--acknowledged", idsFile, ...flags);
      await noteIds();
      return result;
    },
    /** Fails unless every acknowledged line of all imports is stored and ranked once, and no other event. */
    expectKept: (): Promise<void> => expectAllKept(system, acknowledged),
    rows: (where = "TRUE"): Promise<number> => countOf(database, `purchases WHERE ${where}`),
  };
}

export const lineOfSale = (storeID: number, custID: number, more: object = {}): string =>
  JSON.stringify({ storeID, custID, date: "20261120", items: [{ ItemID: 5, numberOfItems: 1 }], ...more });
