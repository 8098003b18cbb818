export {
  enter,
  findStored,
  findTimes,
  hashOfBody,
  ledgerMigrations,
  listBatches,
  newestStored,
  nextStored,
  placeAt,
  pruneRankingMessages,
  readRankingMessages,
  readTotals,
  selectBatches,
  type LedgerEntry,
  type LedgerPlace,
  type LedgerTotals,
} from "./ledger.ts";
export { addDomains, keepShards, readShards } from "./ranking-shards.ts";
