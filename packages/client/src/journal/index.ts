export { syncDirectory } from "./journal-file.ts";
export { lockFile } from "./lock-file.ts";
export { openJournal } from "./open-journal.ts";
export type { Journal, JournalEntry, RejectedEntry } from "./journal.ts";
