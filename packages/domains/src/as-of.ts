import type { BoardTop } from "@tally/pipeline";
import { Type } from "typebox";

/** How old a ranking is, in an answer: when the newest that it counts was stored; null while it counts nothing. */
export const AsOf = Type.Union([Type.String(), Type.Null()]);

/** The time of a board's answer. */
export function timeOf({ asOf }: BoardTop): string | null {
  return asOf === undefined ? null : new Date(asOf).toISOString();
}
