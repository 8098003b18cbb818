import { Type, type TString } from "typebox";
import { wholeNumbers } from "../request-values.ts";

/** Seasons and days of the contract's later version; the table holds two bytes of each. */
export const seasons = wholeNumbers(0, 65_535);
export const days = wholeNumbers(0, 65_535);
/** Minutes of a day (contract, section 4). */
export const minutes = wholeNumbers(0, 1440);
/** So many that the vertical of all rides of a skier stays a number that Redis counts exactly. */
export const lifts = wholeNumbers(0, 1_000_000);

/** The season of rides and questions that name none: the contract's first version knows no seasons. */
export const seasonOfNone = 0;

/** A resort in a path or a query. No space at its ends: the database would not tell it from the same name without. */
export const ResortText: TString = Type.String({
  pattern: String.raw`^[^\s\p{C}]([^\p{C}]{0,62}[^\s\p{C}])?$`,
  expected: "a resort of 1 to 64 printable characters",
});

/** In a body: names and numbers. */
export const Resort = Type.Union([ResortText, Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })], {
  expected: "a resort of 1 to 64 printable characters",
});
