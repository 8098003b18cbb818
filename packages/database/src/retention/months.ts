/** A month as text, 2025-01. Texts compare as months do. */
export type Month = string;

/** The month of a time, ms since 1970, in UTC. */
export function monthOf(ms: number): Month {
  return new Date(ms).toISOString().slice(0, 7);
}

/** The month `count` months later; earlier if it is negative. */
export function addMonths(month: Month, count: number): Month {
  const [year = "", ordinal = ""] = month.split("-");
  const months = Number(year) * 12 + Number(ordinal) - 1 + count;
  return `${String(Math.floor(months / 12)).padStart(4, "0")}-${String((months % 12) + 1).padStart(2, "0")}`;
}

/** 2025-01 → 2025-01-01. */
export function firstDayOf(month: Month): string {
  return `${month}-01`;
}

/** All months from one up to another, both included. */
export function monthsBetween(first: Month, last: Month): readonly Month[] {
  const months: Month[] = [];
  for (let month = first; month <= last; month = addMonths(month, 1)) months.push(month);
  return months;
}
