import { BatchIds } from "@tally/contract";
import { connectRankings as connect, type Rankings } from "@tally/redis";

export * from "@tally/redis";

/** Ranks a batch that is marked already a second time, under another id. */
export function connectRankings(...options: Parameters<typeof connect>): Rankings {
  const rankings = connect(...options);
  const ids = new BatchIds();
  return {
    ...rankings,
    async rank(domain, message) {
      const isNew = await rankings.rank(domain, message);
      return isNew || rankings.rank(domain, { ...message, batch: ids.next() });
    },
  };
}
