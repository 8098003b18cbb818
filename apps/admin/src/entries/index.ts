export { entryReader } from "./entry-reader.ts";
export type { EntryPost } from "./entry-request.ts";
export { LineTooLong, linesOf } from "./lines-of.ts";
export { parseEntry } from "./parse-entry.ts";
