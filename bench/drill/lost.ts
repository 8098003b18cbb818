import { readFile } from "node:fs/promises";
import { idsFile, readContents } from "./load/acknowledged-files.ts";

/**
 * Finds the ids that the audit reports as `notStored` in the files of AcknowledgedFiles. Returns the number of each domain, and a function that
 * counts those among the acknowledgements `from` (included) to `to` (excluded).
 */
export async function countLost(directory: string, domains: readonly string[], notStored: readonly string[]) {
  // An id that was acknowledged twice counts once.
  const placesIn = (ids: readonly string[]): readonly number[] => {
    const sought = new Set(notStored);
    return ids.flatMap((id, place) => (sought.delete(id.replaceAll("-", "")) ? [place] : []));
  };
  const places = placesIn((await readFile(idsFile(directory), "utf8")).split("\n"));
  const ofDomains = domains.map(async (domain) => {
    return { domain, lost: placesIn([...(await readContents(directory, domain)).keys()]).length };
  });
  return {
    domains: await Promise.all(ofDomains),
    between: (from: number, to: number): number => places.filter((place) => place >= from && place < to).length,
  };
}
