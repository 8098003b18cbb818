/** Returns 0 for NaN and infinity, such as a rate over 0 s. */
export function round(value: number, digits: number): number {
  return Number.isFinite(value) ? Number(value.toFixed(digits)) : 0;
}
