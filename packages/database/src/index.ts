export { connectDatabase, type Database } from "./connection/connect-database.ts";
export { DatabaseError, databaseErrors } from "./connection/database-error.ts";
export {
  exclusively,
  type ExclusiveSession,
  dropTestDatabase,
  recreateTestDatabase,
} from "./connection/run-statement.ts";
export { migrate, readMigrations } from "./connection/migrate.ts";
export {
  addDomains,
  enter,
  findStored,
  findTimes,
  hashOfBody,
  keepShards,
  ledgerMigrations,
  listBatches,
  newestStored,
  nextStored,
  placeAt,
  pruneRankingMessages,
  readRankingMessages,
  readShards,
  readTotals,
  selectBatches,
  type LedgerEntry,
  type LedgerPlace,
  type LedgerTotals,
} from "./ledger/ledger.ts";
export {
  holdsEvent,
  keyReusedReason,
  letterOfConflict,
  letterOfEvent,
  letterOfMessage,
  replayOf,
  type DeadLetter,
  type LetterState,
  type NewLetter,
  type Stage,
  countLetters,
  deadLetterMigrations,
  findLetterHead,
  findLetters,
  keepLetters,
  listLetters,
  newestLetters,
  selectConflicts,
  selectKeptEvents,
  settleLetter,
  type LetterFilter,
  type LetterHead,
} from "./dead-letters/letters.ts";
export { addPartitionsSql, partitionedMonths, addMonths, firstDayOf, monthOf } from "./retention/months.ts";
export { type ExportedMonth, type RetentionProgress } from "./retention/remove-month.ts";
export {
  removedAfterDays,
  retainedFrom,
  retentionMigrations,
  surelyRetainedFrom,
  withRecount,
  type Recounted,
} from "./retention/retained-from.ts";
export { firstKeptMonth, monthsToPartition, monthsToRemove, retain, type RetainOutcome } from "./retention/retain.ts";
