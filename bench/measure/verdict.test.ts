import type { AuditReport } from "@tally/reconcile";
import { expect, test } from "vitest";
import { verdictOf, withUnnamed } from "./verdict.ts";

const rows = 100;

/** An audit of 100 rows, as `tally audit` reports it; without the parts that no verdict uses. */
function audited(
  ledger: boolean,
  o: { readonly lost?: number; readonly doubled?: number; contradictions?: number; underWay?: readonly string[] } = {},
): AuditReport {
  const { lost = 0, doubled = 0, contradictions = 0, underWay = [] } = o;
  return JSON.parse(
    JSON.stringify({
      agrees: ledger && lost + doubled + contradictions + underWay.length === 0,
      underWay,
      audit: { acknowledged: rows, stored: rows, ranked: ledger ? rows : 0, lost, doubled },
      domains: [{ domain: "purchases", boards: { hash: "ab" }, contradictions: { count: contradictions } }],
    }),
  );
}

test("a design with a ledger agrees when everything does and nothing is under way", () => {
  const of = (report: AuditReport) => verdictOf("batched", "purchases", report);
  expect(of(audited(true))).toMatchObject({ agrees: true, boardsHash: "ab", audit: { ranked: rows } });
  expect(of(audited(true, { lost: 1 })).agrees).toBe(false);
  expect(of({ ...audited(true), underWay: ["a queue"] }).agrees).toBe(false);
});

test("without a ledger `agrees` and the number of ranked events are unknown", () => {
  const whole = { acknowledged: rows, stored: rows, ranked: null, lost: 0, doubled: 0 };
  expect(verdictOf("synchronous", "purchases", audited(false))).toEqual({
    audit: whole,
    agrees: null,
    boardsHash: "ab",
  });
  expect(verdictOf("synchronous", "purchases", undefined)).toEqual({ audit: null, agrees: null, boardsHash: null });
});

test.each([{ lost: 1 }, { doubled: 1 }, { contradictions: 1 }, { underWay: ["a queue"] }])(
  "without a ledger, too, nothing agrees with an audit that found %j",
  (found) => {
    expect(verdictOf("synchronous", "purchases", audited(false, found)).agrees).toBe(false);
  },
);

test.each([
  ["batched", true],
  ["synchronous", false],
] as const)("an event acknowledged without an event id counts as lost in the design %s", (design, ledger) => {
  const verdict = verdictOf(design, "purchases", withUnnamed(audited(ledger), 3));
  expect(verdict).toMatchObject({ agrees: false, audit: { acknowledged: rows + 3, lost: 3 } });
});
