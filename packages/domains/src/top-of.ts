import type { BoardReader } from "@tally/contract";
import { Type } from "typebox";
import { wholeNumbers } from "./request-values.ts";

const limits = wholeNumbers(1, 100);

/** The age of a ranking in a response: when its newest counted batch was stored; null before the first. */
export const AsOf = Type.Union([Type.String(), Type.Null()], {
  documented: { type: ["string", "null"], format: "date-time" },
});

/** How many entries of a ranking a query asks for. */
export const TopLimit = Type.Optional(limits.Text);

/** Default 10. Throws InvalidInput outside 1 to 100. */
export function parseTopLimit(limit: string | number = 10): number {
  return limits.parse("limit", limit);
}

/** The first entries of a board. */
export async function topOf<T>(
  boards: BoardReader,
  board: string,
  limit: string | number | undefined,
  entryOf: (member: string, count: number) => T,
): Promise<{ asOf: string | null; entries: T[] }> {
  const { asOf, entries } = await boards.top(board, parseTopLimit(limit));
  return {
    asOf: asOf === undefined ? null : new Date(asOf).toISOString(),
    entries: entries.map(({ member, count }) => entryOf(member, count)),
  };
}
