import { expect, test } from "vitest";
import { runBench } from "./kit/programs.ts";

test("every design runs and reports its durability, its losses and only known figures; a comparison has all reports and the ratios of every round", async () => {
  const designs =
    "batched batched:transient fan-out per-message unconfirmed synchronous synchronous-unranked bare".split(" ");
  const flags = ["--rounds", "1", "--amount", "200", "--connections", "4"];
  const { exitCode, output, errors, report: compared } = await runBench("compare", ...designs, ...flags);
  const { ratios, runs } = compared;
  const known = { perSecond: expect.any(Number) };
  const unknown = { perSecond: null };
  const whole = { acknowledged: 200, stored: 200, ranked: 200, lost: 0, doubled: 0 };
  const confirmed = { durability: "confirmed", accepted: { events: 200 }, statuses: { "201": 200 } };
  expect(runs.map(({ contender }: { readonly contender: string }) => contender)).toEqual(designs);
  const [batched, transient, fanOut, perMessage, unconfirmed, synchronous, unranked, bare] = runs.map(
    ({ report }: { readonly report: unknown }) => report,
  );
  const { boardsHash } = batched;
  const audited = { ...confirmed, stored: known, ranked: known, audit: whole, agrees: true, boardsHash };
  for (const report of [batched, fanOut, perMessage]) expect(report).toMatchObject(audited);
  expect(transient).toMatchObject({ ...audited, durability: "transient" });
  const { stored, received } = fanOut.subscriber;
  expect([stored > 0, received]).toEqual([true, stored]);
  expect(output).toContain(
    "fan-out: a 2xx means on disk at a majority of the broker's nodes, in the queue of the writer",
  );
  // It may lose events: the report and the exit status say so.
  expect(unconfirmed).toMatchObject({
    durability: "persistent",
    accepted: { events: 200 },
    audit: { acknowledged: 200, lost: expect.any(Number) },
  });
  const isWhole = unconfirmed.audit.lost === 0 && unconfirmed.agrees === true;
  expect({ exitCode, output, errors }).toMatchObject({ exitCode: isWhole ? 0 : 1, errors: "" });
  // Without a ledger only the number of rows and the boards can be checked.
  const rows = { ...confirmed, stored: known, audit: { ...whole, ranked: null }, agrees: null, followed: null };
  expect(synchronous).toMatchObject({ ...rows, ranked: known, drainSeconds: 0, boardsHash });
  expect(output).toContain("acknowledged 200, stored 200, ranked unknown  lost 0, doubled 0");
  expect(output).toContain("no ledger");
  for (const report of [synchronous, unranked]) expect(report.stored.perSecond).toBe(report.accepted.perSecond);
  expect(synchronous.ranked.perSecond).toBe(synchronous.accepted.perSecond);
  expect(unranked).toMatchObject({ ...rows, ranked: unknown, drainSeconds: null, boardsHash: null });
  const nothing = { stored: unknown, ranked: unknown, audit: null, agrees: null, boardsHash: null, followed: null };
  expect(bare).toMatchObject({ ...confirmed, ...nothing, drainSeconds: null });
  expect(ratios).toContainEqual({
    figure: "accepted /s",
    of: "batched",
    against: "bare",
    rounds: 1,
    low: batched.accepted.perSecond / bare.accepted.perSecond,
    median: expect.any(Number),
    high: expect.any(Number),
  });
}, 600_000);
