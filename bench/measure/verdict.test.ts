import type { AuditReport } from "@tally/reconcile";
import { expect, test } from "vitest";
import { verdictOf, withUnnamed } from "./verdict.ts";

const rows = 100;

type Count = "missing" | "surplus" | "acknowledged" | "doubled" | "contradictions";

/** An audit of 100 rows. */
function audited(
  o: Partial<Record<Count, number>> & { readonly ledger: boolean; readonly underWay?: readonly string[] },
): AuditReport {
  const { ledger, missing = 0, surplus = 0, acknowledged = rows, doubled = 0, underWay = [] } = o;
  const contradictions = { count: o.contradictions ?? 0 };
  const agrees = ledger && missing + surplus + doubled + contradictions.count === 0;
  const lost = acknowledged - rows + missing;
  // As the bench reads it; without the parts that no verdict uses.
  return JSON.parse(
    JSON.stringify({
      agrees: agrees && acknowledged === rows && underWay.length === 0,
      underWay,
      audit: { acknowledged, stored: rows, ranked: ledger ? rows : 0, lost, doubled: doubled + surplus },
      domains: [
        {
          domain: "purchases",
          boards: { hash: "ab", missing, surplus },
          contradictions,
          ids: { stored: rows, deadLetters: 0, doubled },
        },
      ],
    }),
  );
}

test("a design with a ledger agrees when everything does and nothing is under way", () => {
  const of = (report: AuditReport) => verdictOf("batched", "purchases", report);
  expect(of(audited({ ledger: true }))).toMatchObject({ agrees: true, boardsHash: "ab", audit: { ranked: rows } });
  expect(of(audited({ ledger: true, missing: 1 })).agrees).toBe(false);
  expect(of(audited({ ledger: true, underWay: ["a queue"] })).agrees).toBe(false);
  expect(of(audited({ ledger: false })).agrees).toBe(false);
});

test("without a ledger `agrees` and the number of ranked events are unknown", () => {
  const whole = { acknowledged: rows, stored: rows, ranked: null, lost: 0, doubled: 0 };
  const report = audited({ ledger: false });
  expect(verdictOf("synchronous", "purchases", report)).toEqual({ audit: whole, agrees: null, boardsHash: "ab" });
  expect(verdictOf("synchronous", "purchases", undefined)).toEqual({ audit: null, agrees: null, boardsHash: null });
});

test.each([
  ["an acknowledged event without a row", { acknowledged: rows + 1 }, { lost: 1 }],
  ["units missing from boards", { missing: 5 }, { lost: 5 }],
  ["surplus units in boards", { surplus: 5 }, { doubled: 5 }],
  ["an event that is stored twice", { doubled: 1 }, { doubled: 1 }],
  ["more found than acknowledged, one twice", { acknowledged: rows - 1, doubled: 1 }, { lost: 0, doubled: 1 }],
  ["rows that contradict each other", { contradictions: 1 }, {}],
  ["an event under way", { underWay: ["a queue"] }, {}],
])("without a ledger, too, the audit finds %s", (_what, o, audit) => {
  const verdict = verdictOf("synchronous", "purchases", audited({ ledger: false, ...o }));
  expect(verdict).toMatchObject({ agrees: false, audit });
});

test.each([
  ["batched", true],
  ["synchronous", false],
] as const)("an event acknowledged without an event id counts as lost in the design %s", (design, ledger) => {
  const verdict = verdictOf(design, "purchases", withUnnamed(audited({ ledger }), 3));
  expect(verdict).toMatchObject({ agrees: false, audit: { acknowledged: rows + 3, lost: 3 } });
});
