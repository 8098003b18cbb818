import { readFile } from "node:fs/promises";
import { idsFile, idsFileOf } from "./load/acknowledged-files.ts";

/**
 * Finds the ids that the audit reports as `notStored` in the files of AcknowledgedFiles. Returns the number of each domain, and a function that
 * counts those among the acknowledgements `from` (included) to `to` (excluded).
 */
export async function countLost(directory: string, domains: readonly string[], notStored: readonly string[]) {
  const placesIn = async (file: string): Promise<readonly number[]> => {
    if (notStored.length === 0) return [];
    const sought = new Set(notStored);
    const ids = (await readFile(file, "utf8")).split("\n");
    // An id that was acknowledged twice counts once.
    return ids.flatMap((id, place) => (sought.delete(id.replaceAll("-", "")) ? [place] : []));
  };
  const places = await placesIn(idsFile(directory));
  const ofDomains = domains.map(async (domain) => {
    return { domain, lost: (await placesIn(idsFileOf(directory, domain))).length };
  });
  return {
    domains: await Promise.all(ofDomains),
    between: (from: number, to: number): number => places.filter((place) => place >= from && place < to).length,
  };
}
