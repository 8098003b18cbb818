import { InvalidInput } from "@tally/pipeline";
import { Type, type TInteger, type TString, type TUnion } from "typebox";

/** Whole numbers of a range as clients send them: as a number, or as digits (contract, section 0, row 7). */
interface WholeNumbers {
  /** In a path or a query, where everything is text. */
  readonly Text: TString;
  /** In a body. */
  readonly Value: TUnion<[TInteger, TString]>;
  /** "007" and 7 → 7. Throws InvalidInput for digits that lead out of the range, as beyond 2^53 nothing may become another number in silence. */
  parse(field: string, value: string | number): number;
}

/** The whole numbers from `min` to `max`. */
export function wholeNumbers(min: number, max: number): WholeNumbers {
  const expected = `an integer from ${min} to ${max}`;
  // Leading zeros are digits too; a double holds 16 of them.
  const Text = Type.String({ pattern: "^[0-9]{1,16}$", expected });
  return {
    Text,
    Value: Type.Union([Type.Integer({ minimum: min, maximum: max }), Text], { expected }),
    parse(field, value) {
      const number = Number(value);
      if (number < min || number > max) throw new InvalidInput(field, expected, value);
      return number;
    },
  };
}

/** Ids of stores, items, users, skiers. */
export const ids = wholeNumbers(0, Number.MAX_SAFE_INTEGER);

/** Texts of at most `charactersMax` characters that can be stored as they are. */
export function texts(charactersMax: number) {
  const expected = `a text of at most ${charactersMax} characters, none of them U+0000`;
  return Type.Refine(Type.String({ maxLength: charactersMax, expected }), isStorable);
}

/** No half of a surrogate pair: it would be stored as another character. No NUL: much that reads texts ends them there. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

const limitDefault = 10;
const topLimits = wholeNumbers(1, 100);
const pageLimits = wholeNumbers(1, 1000);

/** How many entries an answer may have, as it stands in a query. */
export const TopLimitText = topLimits.Text;
export const PageLimitText = pageLimits.Text;

/** Of a ranking, as far as boards tell it: absent means 10. Throws InvalidInput outside 1 to 100. */
export function parseTopLimit(text: string | undefined): number {
  return text === undefined ? limitDefault : topLimits.parse("limit", text);
}

/** Of a page of rows: absent means 10. Throws InvalidInput outside 1 to 1000. */
export function parsePageLimit(text: string | undefined): number {
  return text === undefined ? limitDefault : pageLimits.parse("limit", text);
}

/** The parameters of a route that takes none. */
export const None = Type.Object({}, { additionalProperties: false });
