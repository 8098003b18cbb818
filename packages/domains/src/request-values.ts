import { InvalidInput, type RowFilter } from "@tally/contract";
import { Type, type TInteger, type TString, type TUnion } from "typebox";

/** A range of integers as clients send them: as a number or as digits (contract, section 0, row 7). */
interface WholeNumbers {
  /** In a path or a query. */
  readonly Text: TString;
  /** In a body. */
  readonly Value: TUnion<[TInteger, TString]>;
  /** "007" and 7 → 7. Throws InvalidInput out of range, also for digits beyond 2^53 that a double would change. */
  parse(field: string, value: string | number): number;
}

/** The integers from `min` to `max`. */
export function wholeNumbers(min: number, max: number): WholeNumbers {
  const expected = `an integer from ${min} to ${max}`;
  // 16 digits, leading zeros included: as many as a double can hold.
  const digits = { type: "string", pattern: "^[0-9]{1,16}$" } as const;
  const Text = Type.String({
    pattern: digits.pattern,
    expected,
    documented: { anyOf: [{ type: "integer", minimum: min, maximum: max }, digits] },
  });
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

/** Ids of stores, items, users and skiers. */
export const ids = wholeNumbers(0, Number.MAX_SAFE_INTEGER);

/** Texts of at most `charactersMax` characters that the database stores unchanged. */
export function texts(charactersMax: number) {
  const expected = `a text of at most ${charactersMax} characters, none of them U+0000`;
  return Type.Refine(Type.String({ maxLength: charactersMax, expected }), isStorable);
}

/**
 * False for half of a surrogate pair, which would be stored as another character, and for NUL, where many programs end
 * a text.
 */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/** The parameters of a route without any. */
export const None = Type.Object({}, { additionalProperties: false });

/** A filter by a column of whole numbers, for `tally export`. */
export function numberFilter(where: string, flag: string, numbers: Pick<WholeNumbers, "parse">): RowFilter {
  return {
    where,
    parse(text) {
      if (!/^[0-9]{1,16}$/.test(text)) throw new InvalidInput(flag, "a whole number", text);
      return numbers.parse(flag, text);
    },
  };
}
