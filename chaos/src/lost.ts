import { readFile } from "node:fs/promises";
import { idsFile, idsFileOf } from "./load/acknowledged-files.ts";

export interface LostOfDomain {
  readonly domain: string;
  /** Acknowledged events that are not stored. */
  readonly lost: number;
}

/** The lost events by domain, and by the order of their acknowledgements. */
export interface Lost {
  readonly domains: readonly LostOfDomain[];
  /** How many of the acknowledgements `from` (included) to `to` (excluded) are lost. */
  between(from: number, to: number): number;
}

/** Finds the ids that the audit reports as `notStored` in the files of AcknowledgedFiles. */
export async function countLost(
  directory: string,
  domains: readonly string[],
  notStored: readonly string[],
): Promise<Lost> {
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
    between: (from, to) => places.filter((place) => place >= from && place < to).length,
  };
}
