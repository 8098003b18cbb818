import { connectRankings as connect, type Rankings } from "@tally/redis";

export * from "@tally/redis";

/** Forgets which batches and which epoch the ledger must have. */
export function connectRankings(...options: Parameters<typeof connect>): Rankings {
  return { ...connect(...options), inLedger: async () => ({ noted: undefined, batches: [], next: "0" }) };
}
