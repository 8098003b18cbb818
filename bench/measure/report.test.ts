import { expect, test } from "vitest";
import { isGood } from "./report.ts";
import { sampleReport } from "./report.fixture.ts";

const { accepted, errors, reads } = sampleReport();
const onlyReads = { accepted: { ...accepted, events: 0 }, reads: { ...reads, requests: 9 } };
const nothing = { endpoint: "write", waitedSeconds: 1, seconds: 1, notStored: [], domains: [] } as const;
const late = { events: 9, neverStored: 1, neverRanked: 1 };
const whole = { acknowledged: 100, stored: 100, ranked: 100, lost: 0, doubled: 0 };

test.each([
  ["nothing is lost", { audit: whole, agrees: true }, true],
  ["there is no audit", { audit: null, agrees: null }, true],
  ["one is lost", { audit: { ...whole, lost: 1 }, agrees: true }, false],
  ["one is doubled", { audit: { ...whole, doubled: 1 }, agrees: true }, false],
  ["rankings and rows do not agree", { audit: whole, agrees: false }, false],
  ["the audit finds an event that was not found in time", { audit: whole, agrees: true, followed: late }, true],
  ["nothing got a 2xx", { accepted: { ...accepted, events: 0 }, reads: { ...reads, requests: 0 } }, false],
  ["only reads were sent, and one failed", { ...onlyReads, errors: { ...errors, non2xx: 1, ofReads: 1 } }, true],
  ["reads got a 2xx and no POST did", { ...onlyReads, errors: { ...errors, non2xx: 2, ofReads: 1 } }, false],
] as const)("isGood judges a run in which %s", (_what, changes, good) => {
  expect(isGood(sampleReport(changes))).toBe(good);
});

test("a run that does not drain is reported, and is not good", () => {
  const audited = { ...nothing, agrees: true, audit: whole };
  expect(isGood(sampleReport({}, { ...audited, underWay: [] }))).toBe(true);
  expect(isGood(sampleReport({}, { ...audited, underWay: ["3 batches wait in the ingest queue"] }))).toBe(false);
});
