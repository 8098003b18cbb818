import { Check } from "typebox/value";
import { expect, test, vi } from "vitest";
import { expectSold, parseSoldAt, SoldAt } from "./sold-at.ts";

const nowMs = Date.UTC(2026, 10, 21, 9, 30);
vi.useFakeTimers({ now: nowMs });

function read(text: string): number {
  if (!Check(SoldAt, text)) throw new TypeError("soldAt: expected the schema");
  const ms = parseSoldAt(text);
  expectSold(ms);
  return ms;
}

test.each([
  ["2026-11-21T09:30:00Z", nowMs],
  ["2026-11-21t09:30:00.000z", nowMs],
  ["2026-11-21T10:30:00.1239+01:00", nowMs + 123],
  ["2026-11-20T23:30:00-10:00", nowMs],
  ["2024-02-29T00:00:00Z", Date.UTC(2024, 1, 29)],
  ["1970-01-01T00:00:00Z", 0],
  ["2026-11-21T09:45:00Z", nowMs + 15 * 60_000],
])("%s", (text, ms) => {
  expect(read(text)).toBe(ms);
});

test.each([
  "2026-11-21T09:45:00.001Z",
  "1969-12-31T23:59:59Z",
  "2026-11-21T09:30:00",
  "2026-11-21",
  "2026-11-21 09:30:00Z",
  "2026-02-29T00:00:00Z",
  "2026-11-21T24:00:00Z",
  "2026-11-21T09:30:00+24:00",
  "2026-11-21T09:30:00Z[UTC]",
  "1795253400000",
])("rejects %s", (text) => {
  expect(() => read(text)).toThrow("soldAt: expected");
});
