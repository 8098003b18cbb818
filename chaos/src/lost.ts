import { readFile } from "node:fs/promises";
import { allIdsFile, idsFileOf } from "./load/id-files.ts";

export interface LostOfDomain {
  readonly domain: string;
  /** Acknowledged events that are nowhere. */
  readonly lost: number;
}

/** Whose the lost events are, and when they were acknowledged. */
export interface Lost {
  readonly domains: readonly LostOfDomain[];
  /** How many of those that were acknowledged from the nth on, before the mth. */
  between(from: number, to: number): number;
}

/** Looks ids up that the audit did not find, `notStored`, in the files that the load has written. */
export async function countLost(
  directory: string,
  domains: readonly string[],
  notStored: readonly string[],
): Promise<Lost> {
  const placesIn = async (file: string): Promise<readonly number[]> => {
    if (notStored.length === 0) return [];
    const sought = new Set(notStored);
    const ids = (await readFile(file, "utf8")).split("\n");
    // An id that was acknowledged twice is lost once.
    return ids.flatMap((id, place) => (sought.delete(id.replaceAll("-", "")) ? [place] : []));
  };
  const places = await placesIn(allIdsFile(directory));
  const ofDomains = domains.map(async (domain) => {
    return { domain, lost: (await placesIn(idsFileOf(directory, domain))).length };
  });
  return {
    domains: await Promise.all(ofDomains),
    between: (from, to) => places.filter((place) => place >= from && place < to).length,
  };
}
