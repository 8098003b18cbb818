export { connectDatabase, type Database } from "./connection/connect-database.ts";
export { DatabaseError, databaseErrors, UnexpectedState } from "./connection/database-error.ts";
export { migrate, readMigrations } from "./connection/migrate.ts";
export {
  addDomains,
  enter,
  findStored,
  findMissing,
  hashOfBody,
  keepShards,
  ledgerMigrations,
} from "./ledger/ledger.ts";
export { listBatches, newestStored, nextStored, placeAt } from "./ledger/ledger.ts";
export { readRankingMessages, readShards, rowsOfLedger } from "./ledger/ledger.ts";
export type { LedgerEntry, LedgerPlace } from "./ledger/ledger.ts";
export { findFolded, foldBatches, FoldedMeanwhile, foldedCounts, foldedSeries, readFold } from "./ledger/folds.ts";
export { foldedMarks, type Fold, type LedgerBatch, type LedgerTotals, type ToFold } from "./ledger/folds.ts";
export {
  clockOf,
  closeEarlier,
  findEpochs,
  isInHistory,
  joinEpoch,
  openEpoch,
  readEpochs,
  type Epochs,
} from "./ledger/epochs.ts";
export { holdsEvent, keyReusedReason, letterOfConflict, letterOfEvent } from "./dead-letters/letters.ts";
export { letterId, letterOfMessage, replayOf, countLetters, deadLetterMigrations } from "./dead-letters/letters.ts";
export {
  findLetterHead,
  findLetters,
  keepLetters,
  listHeads,
  listLetters,
  newestLetters,
  openParked,
  readyLetters,
} from "./dead-letters/letters.ts";
export { countConflicts, foreignBatchReason, selectKeptEvents, settleLetter } from "./dead-letters/letters.ts";
export type {
  DeadLetter,
  LetterState,
  NewLetter,
  Stage,
  LetterFilter,
  LetterHead,
  StateCounts,
} from "./dead-letters/letters.ts";
export { addMonths, firstDayOf, monthOf } from "./retention/months.ts";
export { removalSteps, removedMonths, type RemovedMonth } from "./retention/remove-month.ts";
export { type ExportedMonth, type RetentionProgress } from "./retention/remove-month.ts";
export { removedAfterDays, retainedFrom } from "./retention/retained-from.ts";
export { retentionMigrations, surelyRetainedFrom } from "./retention/retained-from.ts";
export { type Recounted, withUnmoved } from "./retention/retained-from.ts";
export { firstKeptMonth, isHostAhead, plan, retain, type RetainOutcome } from "./retention/retain.ts";
