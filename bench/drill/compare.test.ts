import { domains } from "@tally/domains";
import { expect, test } from "vitest";
import { differences } from "./compare.ts";
import type { LostCommits } from "./lost-commits.ts";

const [domain = expect.fail()] = domains;
const load = { unknown: 0, otherIds: 0, rejected: 0, firstRejection: undefined, domains: [] };
const audit = { acknowledged: 6, stored: 4, ranked: 4, lost: 0, doubled: 0 };
const audited = { agrees: true, audit, underWay: [], domains: [] };
const groups = [
  ["sale 1", "refund 1", "refund 2"],
  ["sale 2", "refund 3", "refund 4"],
];

/** What is found when dead letters of stage rejected are missing, and the database has lost the events with these ids. */
function foundWithout(missing: number, ids: readonly string[] = []): readonly string[] {
  const lost: LostCommits = { domains: [{ domain, ids, batches: [] }], letters: [] };
  const letters = { injected: { events: 3, messages: 0 }, kept: { events: 3 + groups.length - missing, messages: 0 } };
  return differences({ ...load, refusedAmong: groups }, audited, letters, lost);
}

test("one letter may be missing or too many where the database lost a sale, or one of two corrections", () => {
  expect(foundWithout(0)).toEqual([]);
  const differs = ["stage events: 5 expected, 4 dead letters"];
  expect(foundWithout(1)).toEqual(differs);
  expect(foundWithout(1, ["sale 3"])).toEqual(differs);
  for (const id of ["sale 1", "refund 3"]) expect([foundWithout(1, [id]), foundWithout(-1, [id])]).toEqual([[], []]);
  expect(foundWithout(-1)).toEqual(["stage events: 5 expected, 6 dead letters"]);
  expect(foundWithout(2, ["sale 1", "refund 2"])).toEqual(["stage events: 5 expected, 3 dead letters"]);
});
