export {
  enter,
  findKnown,
  hashOfBody,
  ledgerMigrations,
  listBatches,
  placeAt,
  readMoves,
  type KnownBatch,
  type LedgerEntry,
  type LedgerPlace,
} from "./ledger.ts";
