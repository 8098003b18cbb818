import { InvalidInput } from "@tally/pipeline";
import { Type } from "typebox";

const idMax = Number.MAX_SAFE_INTEGER;
const limitMax = 1000;
const limitDefault = 10;

/** The words for an id in every message about one. */
export const expectedId = `an integer from 0 to ${idMax}`;
const expectedLimit = `an integer from 1 to ${limitMax}`;

/** An id as it stands in a path or a query. */
export const IdText = Type.String({ pattern: "^[0-9]{1,16}$", expected: expectedId });

/** How many entries an answer may have, as it stands in a query. */
export const LimitText = Type.String({ pattern: "^[0-9]{1,4}$", expected: expectedLimit });

/** "007" and 7 → 7. Sixteen digits reach beyond 2^53: what a double cannot hold would become another id in silence. */
export function parseId(field: string, id: string | number): number {
  const value = Number(id);
  if (value > idMax) throw new InvalidInput(field, expectedId, id);
  return value;
}

/** Absent means 10. Throws InvalidInput outside 1 to 1000. */
export function parseLimit(text: string | undefined): number {
  const limit = Number(text ?? limitDefault);
  if (limit < 1 || limit > limitMax) throw new InvalidInput("limit", expectedLimit, text);
  return limit;
}
