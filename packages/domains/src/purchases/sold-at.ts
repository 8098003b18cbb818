import { InvalidInput } from "@tally/contract";
import { Type } from "typebox";

const aheadMaxMs = 15 * 60_000;
const expected = "a time with its offset from UTC (RFC 3339), from 1970 to 15 minutes from now";

/** When a till sold, in requests; parseSoldAt and expectSold check it. */
export const SoldAt = Type.String({
  pattern: "^[0-9]{4}(-[0-9]{2}){2}[Tt][0-9]{2}(:[0-9]{2}){2}(\\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})$",
  expected,
  documented: { type: "string", format: "date-time" },
});

/** "2026-11-21T10:29:58.250+01:00" → ms since 1970. Throws InvalidInput for a time that does not exist. */
export function parseSoldAt(text: string): number {
  try {
    const ms = Temporal.Instant.from(text).epochMilliseconds;
    if (ms >= 0) return ms;
  } catch {
    // Not a time.
  }
  throw new InvalidInput("soldAt", expected, text);
}

/** Whether a time is at most 15 minutes ahead of this machine's clock. */
export const isSold = (soldAt: number): boolean => soldAt <= Date.now() + aheadMaxMs;

/** Throws InvalidInput for any other time. */
export function expectSold(soldAt: number): void {
  if (!isSold(soldAt)) throw new InvalidInput("soldAt", expected, new Date(soldAt).toISOString());
}
