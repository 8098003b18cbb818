import { expect, test } from "vitest";
import { comparison, contenderNamed, contendersNamed, ratiosOf, tooSlow } from "./compare-designs.ts";
import { orderOfRound } from "./figures.ts";
import { sampleReport } from "./report.fixture.ts";
import { faultsOf } from "./report.ts";
import { tierNames } from "./watch/watch.ts";

test("each odd round reverses the one before, and each pair of rounds begins with another one", () => {
  const rounds = [0, 1, 2, 3].map((round) => orderOfRound(["a", "b", "c"], round).join(""));
  expect(rounds).toEqual(["abc", "cba", "bca", "acb"]);
});

test("a contender is a design, with or without a durability", () => {
  expect(contenderNamed("batched:transient")).toEqual({
    name: "batched:transient",
    design: "batched",
    durability: "transient",
  });
  expect(() => contenderNamed("fast")).toThrow('there is no "fast"; expected batched, balanced, classic');
});

test("a build is batched at a commit, and may be compared with others", () => {
  const names = ["batched", "batched@v1.2.0", "batched@feature/a:b@c"];
  const plain = { design: "batched", durability: "confirmed" };
  expect(contendersNamed(names)).toEqual([
    { name: "batched", ...plain },
    { name: "batched@v1.2.0", ...plain, revision: "v1.2.0" },
    { name: "batched@feature/a:b@c", ...plain, revision: "feature/a:b@c" },
  ]);
  for (const name of ["bare@v1", "batched:transient@v1", "batched@", "@v1"])
    expect(() => contenderNamed(name)).toThrow(`"${name}": expected batched@ and a commit`);
});

test("the first contender is too slow where its median of ranked events is below the limit, or unknown", () => {
  const contenders = ["batched", "batched@v1", "bare"].map(contenderNamed);
  const run = (contender: string, ranked: number | null, accepted = 1000) => ({
    contender,
    round: 0,
    report: sampleReport({ ranked: { perSecond: ranked }, accepted: { events: 1, perSecond: accepted } }),
  });
  const runs = [run("batched", 80), run("batched@v1", 100), run("bare", null, 2000)];
  expect(tooSlow(contenders, runs, 0.85)).toEqual([
    "batched / batched@v1: ranked /s 0.80, below 0.85",
    "batched / bare: accepted /s 0.50, below 0.85",
  ]);
  expect(tooSlow(contenders, runs, 0.5)).toEqual([]);
  expect(tooSlow(contenders.slice(0, 2), runs.slice(0, 1), 0.5)).toEqual([
    "batched / batched@v1: ranked /s unknown, below 0.5",
  ]);
});

test("contenders that only read are compared by their reads", () => {
  const contenders = ["batched", "primary-reads"].map(contenderNamed);
  const none = { accepted: { events: 0, perSecond: 0 }, ranked: { perSecond: null } };
  const runs = [800, 1000].map((perSecond, index) => ({
    contender: contenders[index]?.name ?? "",
    round: 0,
    report: sampleReport({ ...none, reads: { requests: 9, perSecond, latencyMs: null } }),
  }));
  expect(tooSlow(contenders, runs, 0.9)).toEqual(["batched / primary-reads: reads /s 0.80, below 0.9"]);
  expect(tooSlow(contenders, runs, 0.8)).toEqual([]);
});

test("a fault names its cause where nothing is lost or doubled", () => {
  const audit = { acknowledged: 100, stored: 100, ranked: 100, lost: 0, doubled: 0 };
  expect(faultsOf("a", sampleReport({ audit, agrees: true, subscriber: { stored: 3, received: 1 } }))).toEqual([
    "a: lost 0, doubled 0, the third subscriber lacks 2 batches",
  ]);
  const followed = { events: 9, neverStored: 2, neverRanked: 2 };
  expect(faultsOf("a", sampleReport({ audit: null, agrees: null, followed }))).toEqual([
    "a: 2 of 9 followed events were never stored",
  ]);
});

test("a comparison lists each run that failed", () => {
  const contenders = ["batched", "unconfirmed"].map(contenderNamed);
  const audit = { acknowledged: 100, stored: 100, ranked: 100, lost: 0, doubled: 0 };
  const whole = sampleReport({ audit, agrees: true });
  const runs = [
    { contender: "batched", round: 0, report: whole },
    {
      contender: "unconfirmed",
      round: 0,
      report: { ...whole, audit: { ...audit, stored: 93, lost: 7 }, agrees: false },
    },
    { contender: "unconfirmed", round: 1, report: { ...whole, accepted: { events: 0, perSecond: 0 } } },
    { contender: "batched", round: 1, report: whole },
  ];
  const lines = comparison(contenders, runs).split("\n");
  expect(lines.filter((line) => line.includes(", round "))).toEqual([
    "unconfirmed, round 1: lost 7, doubled 0, the audit does not agree",
    "unconfirmed, round 2: no request got a 2xx",
  ]);
});

test("every figure that both contenders have is compared by round, with its spread", () => {
  const contenders = ["batched", "bare"].map(contenderNamed);
  const run = (contender: string, round: number, perSecond: number, p99: number, storedPerSecond: number | null) => ({
    contender,
    round,
    report: sampleReport({
      accepted: { events: 1, perSecond },
      stored: { perSecond: storedPerSecond },
      ranked: { perSecond: null },
      latencyMs: { mean: 1, min: 1, p50: 2, p95: 3, p99, p999: 5, max: 6 },
    }),
  });
  const runs = [
    run("batched", 0, 100, 30, 90),
    run("bare", 0, 200, 10, null),
    run("bare", 1, 400, 20, null),
    run("batched", 1, 120, 90, 95),
  ];
  const ratios = ratiosOf(contenders, runs);
  expect(ratios.map(({ figure }) => figure)).toEqual([
    "accepted /s",
    "p50 ms",
    "p99 ms",
    "CPU µs/event",
    ...tierNames.map((tier) => `  ${tier}`),
    "  client",
  ]);
  const both = { of: "batched", against: "bare", rounds: 2 };
  expect(ratios[0]).toEqual({ ...both, figure: "accepted /s", low: 0.3, median: 0.4, high: 0.5 });
  expect(ratios[2]).toEqual({ ...both, figure: "p99 ms", low: 3, median: 3.75, high: 4.5 });
  const text = comparison(contenders, runs);
  expect(text).toMatch(/^stored \/s +93 +-$/m);
  expect(text).toContain("p99 ms         batched / bare: 3.75  (3.00 to 4.50, 2 rounds)");
});
