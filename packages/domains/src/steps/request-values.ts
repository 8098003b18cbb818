import { wholeNumbers } from "../request-values.ts";

/** Days count from 1 (contract, section 2); the table holds four bytes. */
export const days = wholeNumbers(1, 4_294_967_295);
export const hours = wholeNumbers(0, 23);
export const stepCounts = wholeNumbers(0, 100_000);
/** How many days a question may span. */
export const spans = wholeNumbers(0, 10_000);
