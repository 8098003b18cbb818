/** 0 for what is no number, e.g. a rate of nothing in no time. */
export function round(value: number, digits: number): number {
  return Number.isFinite(value) ? Number(value.toFixed(digits)) : 0;
}
