import { wholeNumbers } from "../request-values.ts";

/** Days count from 1 (contract, section 2); the column has four bytes. */
export const days = wholeNumbers(1, 4_294_967_295);
export const hours = wholeNumbers(0, 23);
export const stepCounts = wholeNumbers(0, 100_000);
/** The days of a range query. */
export const spans = wholeNumbers(0, 10_000);
