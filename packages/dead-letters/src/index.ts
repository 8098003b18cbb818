export {
  keyReusedReason,
  letterOfConflict,
  letterOfEvent,
  letterOfMessage,
  type DeadLetter,
  type LetterState,
  type NewLetter,
  type Stage,
} from "./dead-letter.ts";
export {
  countLetters,
  deadLetterMigrations,
  findLetters,
  keepLetters,
  listLetters,
  selectConflicts,
  selectKeptEvents,
  settleLetter,
  type LetterFilter,
} from "./letters.ts";
