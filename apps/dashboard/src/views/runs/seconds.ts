import { valueAt, type Report } from "./figures.ts";

/** What a second of a bench run says of its requests, with the field of the report. */
export const requestFields = [
  ["accepted", "accepted"],
  ["reads", "read"],
  ["failed", "failed"],
] as const;

/** In ms. */
export const latencyFields = [
  ["p50", "p50"],
  ["p99", "p99"],
] as const;

/** The highest value of each kind in some runs. Where the axes of all end there, equal heights are equal values. */
export interface Highest {
  /** A second. */
  readonly requests: number;
  readonly latencyMs: number;
}

/** 0 of a kind without values. */
export function highestOf(reports: readonly Report[]): Highest {
  const seconds = reports.flatMap((report) => listAt(report, "perSecond"));
  const highest = (fields: readonly (readonly [string, string])[]): number =>
    seconds
      .flatMap((second) => fields.map(([, field]) => numberAt(second, field) ?? 0))
      .reduce((high, value) => Math.max(high, value), 0);
  return { requests: highest(requestFields), latencyMs: highest(latencyFields) };
}

/** Empty: there is no list at the path. */
export function listAt(report: Report, path: string): readonly unknown[] {
  const value = valueAt(report, path);
  return Array.isArray(value) ? value : [];
}

/** null: there is no number at the path. */
export function numberAt(value: unknown, path: string): number | null {
  const number = valueAt(value, path);
  return typeof number === "number" ? number : null;
}
