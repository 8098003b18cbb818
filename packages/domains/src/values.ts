import { InvalidInput, type BoardReader, type RowFilter } from "@tally/contract";
import { Type, type TObject, type TProperties, type TSchemaOptions } from "typebox";

/** A range of integers as clients send them: as a number or as digits. */
export function wholeNumbers(min: number, max: number) {
  const expected = `an integer from ${min} to ${max}`;
  // 16 digits, leading zeros included: as many as a double can hold.
  const digits = { type: "string", pattern: "^[0-9]{1,16}$" } as const;
  const Text = Type.String({
    pattern: digits.pattern,
    expected,
    documented: { anyOf: [{ type: "integer", minimum: min, maximum: max }, digits] },
  });
  return {
    /** In a path or a query. */
    Text,
    /** In a body. */
    Value: Type.Union([Type.Integer({ minimum: min, maximum: max }), Text], { expected }),
    /** "007" and 7 → 7. Throws InvalidInput out of range, also for digits beyond 2^53 that a double would change. */
    parse(field: string, value: string | number): number {
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

/** Names of 1 to `charactersMax` characters that people read and type. */
export function labels(charactersMax: number, forbidden: readonly string[] = []) {
  const but = forbidden.map((text) => `, not "${text}"`).join("");
  const expected = `a text of 1 to ${charactersMax} characters, without control characters and without spaces at its ends${but}`;
  return Type.Refine(
    Type.String({ minLength: 1, maxLength: charactersMax, expected }),
    (text) => isStorable(text) && text.trim() === text && !/\p{Cc}/u.test(text) && !forbidden.includes(text),
  );
}

/** False for half of a surrogate pair, which would be stored as another character, and for NUL, which ends texts. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

export const None = closed({});

/** For `tally export`. */
export function numberFilter(where: string, flag: string, numbers: typeof ids): RowFilter {
  return {
    where,
    parse(text) {
      if (!/^[0-9]{1,16}$/.test(text)) throw new InvalidInput(flag, "a whole number", text);
      return numbers.parse(flag, text);
    },
  };
}

export const topLimitMax = 100;
const limits = wholeNumbers(1, topLimitMax);

/** The age of a ranking in a response: when its newest ranked batch was stored; null before the first. */
export const AsOf = Type.Union([Type.String(), Type.Null()], {
  documented: { type: ["string", "null"], format: "date-time" },
});

export const TopLimit = Type.Optional(limits.Text);

/** Default 10. Throws InvalidInput outside 1 to 100. */
export function parseTopLimit(limit: string | number = 10): number {
  return limits.parse("limit", limit);
}

export async function topOf<T>(
  boards: BoardReader,
  board: string,
  limit: string | number | undefined,
  entryOf: (member: string, count: number) => T,
): Promise<{ asOf: string | null; isExact: boolean; total: number | undefined; entries: T[] }> {
  const { asOf, isExact, total, entries } = await boards.top(board, parseTopLimit(limit));
  return {
    asOf: asOf === undefined ? null : new Date(asOf).toISOString(),
    isExact,
    total,
    entries: entries.map(({ member, count }) => entryOf(member, count)),
  };
}

export const EventId = Type.String({ pattern: "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", expected: "a UUID" });

/** An id or another integer from 0 in an event. */
export const StoredNumber = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  expected: `an integer from 0 to ${Number.MAX_SAFE_INTEGER}`,
});

/** An object without other fields. */
export function closed<P extends TProperties>(properties: P, options: TSchemaOptions = {}): TObject<P> {
  return Type.Object(properties, { additionalProperties: false, ...options });
}
