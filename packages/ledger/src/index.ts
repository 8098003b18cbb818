export { enter, findKnown, hashOfBody, ledgerMigrations, type KnownBatch, type LedgerEntry } from "./ledger.ts";
