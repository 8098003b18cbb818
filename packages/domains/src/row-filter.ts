import { InvalidInput, type RowFilter } from "@tally/contract";
import type { ids } from "./request-values.ts";

/** A filter by a column of whole numbers, for `tally export`. */
export function numberFilter(where: string, flag: string, numbers: Pick<typeof ids, "parse">): RowFilter {
  return {
    where,
    parse(text) {
      if (!/^[0-9]{1,16}$/.test(text)) throw new InvalidInput(flag, "a whole number", text);
      return numbers.parse(flag, text);
    },
  };
}
