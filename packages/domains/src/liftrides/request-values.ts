import { Type, type TString } from "typebox";
import { wholeNumbers } from "../request-values.ts";

/** Seasons and days; the columns have two bytes. */
export const seasons = wholeNumbers(0, 65_535);
export const days = wholeNumbers(0, 65_535);
/** Minutes of a day (contract, section 4). */
export const minutes = wholeNumbers(0, 1440);
/** The limit keeps the vertical of all rides of a skier below 2^53, which Redis counts exactly. */
export const lifts = wholeNumbers(0, 1_000_000);

/** The season of rides and queries without one: the first version of the contract has no seasons. */
export const seasonOfNone = 0;

/** A resort in a path or a query. No space at its ends: the database treats it as the same name without the space. */
export const ResortText: TString = Type.String({
  pattern: String.raw`^[^\s\p{C}]([^\p{C}]{0,62}[^\s\p{C}])?$`,
  expected: "a resort of 1 to 64 printable characters",
});

/** A resort in a body: a name or a number. */
export const Resort = Type.Union([ResortText, Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })], {
  expected: "a resort of 1 to 64 printable characters",
});
