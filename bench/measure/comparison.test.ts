import { expect, test } from "vitest";
import { bestWithin, medianTable, ratioLines, ratiosOf, tooSlow } from "./comparison.ts";
import { orderOfRound } from "./figures.ts";
import { sampleReport } from "./report.fixture.ts";
import type { Report } from "./report.ts";
import { tierNames } from "./watch/tiers.ts";

const client = { busy: 0.5, delayP99Ms: 1, isLimit: false };
const sample = sampleReport({ client });
const run = (contender: string, round: number, changes: Partial<Report>) => ({
  contender,
  round,
  report: { ...sample, ...changes },
});
const latency = (p99: number) => ({ mean: 1, min: 1, p50: 2, p95: 3, p99, p999: p99, max: p99 });

test("each odd round reverses the one before, and each pair of rounds begins with another one", () => {
  const rounds = [0, 1, 2, 3].map((round) => orderOfRound(["a", "b", "c"], round).join(""));
  expect(rounds).toEqual(["abc", "cba", "bca", "acb"]);
});

test("the first contender is too slow where its median of ranked events is below the limit, or unknown", () => {
  const of = (name: string, ranked: number | null, accepted = 1000) =>
    run(name, 0, { ranked: { perSecond: ranked }, accepted: { events: 1, perSecond: accepted } });
  const runs = [of("batched", 80), of("batched@v1", 100), of("bare", null, 2000)];
  const contenders = ["batched", "batched@v1", "bare"];
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
  const none = { accepted: { events: 0, perSecond: 0 }, ranked: { perSecond: null } };
  const [reads, contenders] = [{ requests: 9, latencyMs: null }, ["batched", "primary-reads"]];
  const runs = [800, 1000].map((perSecond, index) =>
    run(contenders[index] ?? "", 0, { ...none, reads: { ...reads, perSecond } }),
  );
  expect(tooSlow(contenders, runs, 0.9)).toEqual(["batched / primary-reads: reads /s 0.80, below 0.9"]);
  expect(tooSlow(contenders, runs, 0.8)).toEqual([]);
});

test("each run that failed, was disturbed or limited by the client has a line with the cause", () => {
  const whole = { audit: { acknowledged: 100, stored: 100, ranked: 100, lost: 0, doubled: 0 }, agrees: true };
  const disturbance = {
    foreign: { percent: 1, cpuSeconds: 1, largest: [] },
    steal: { percent: 9, cpuSeconds: 3 },
    isDisturbed: true,
  };
  const runs = [
    run("a", 0, whole),
    run("b", 0, { audit: { ...whole.audit, stored: 93, lost: 7 }, agrees: false }),
    run("b", 1, { ...whole, accepted: { events: 0, perSecond: 0 } }),
    run("b", 2, {
      ...whole,
      accepted: { events: 0, perSecond: 0 },
      reads: { ...sample.reads, requests: 1 },
      errors: { ...sample.errors, timeouts: 3 },
    }),
    run("a", 2, { ...whole, client: { ...client, isLimit: true }, disturbance }),
  ];
  const lines = medianTable(["a", "b"], runs).split("\n");
  expect(lines.filter((line) => line.includes(", round "))).toEqual([
    "b, round 1: Lost 7, doubled 0. The audit does not agree.",
    "b, round 2: No request got a 2xx.",
    "b, round 3: No POST got a 2xx.",
    expect.stringMatching("a, round 3: The run was disturbed: foreign CPU 1 %, steal 9 %."),
    expect.stringMatching("a, round 3: The client was the bottleneck"),
  ]);
});

test("every figure that both contenders have is compared by round, with its spread", () => {
  const of = (name: string, round: number, perSecond: number, p99: number, stored: number | null) =>
    run(name, round, {
      accepted: { events: 1, perSecond },
      stored: { perSecond: stored },
      ranked: { perSecond: null },
      latencyMs: latency(p99),
    });
  const runs = [
    of("batched", 0, 100, 30, 90),
    of("bare", 0, 200, 10, null),
    of("bare", 1, 400, 20, null),
    of("batched", 1, 120, 90, 95),
  ];
  const contenders = ["batched", "bare"];
  const ratios = ratiosOf(contenders, runs);
  const tiers = [...tierNames, "client"].map((tier) => `  ${tier}`);
  expect(ratios.map(({ figure }) => figure)).toEqual(["accepted /s", "p50 ms", "p99 ms", "CPU µs/event", ...tiers]);
  const both = { of: "batched", against: "bare", rounds: 2 };
  expect(ratios[0]).toEqual({ ...both, figure: "accepted /s", low: 0.3, median: 0.4, high: 0.5 });
  expect(ratios[2]).toEqual({ ...both, figure: "p99 ms", low: 3, median: 3.75, high: 4.5 });
  expect(ratioLines(contenders, runs)).toContain("p99 ms         batched / bare: 3.75  (3.00 to 4.50, 2 rounds)");
  expect(medianTable(contenders, runs)).toMatch(
    /^median of {2}accepted \/s {2}stored \/s {2}p50 ms {2}p99 ms .*\nbatched +110 +93 +2\.0 +60\.0 .*\nbare +300 +- +2\.0 +15\.0 /,
  );
});

const settings = ["32", "64", "128"];
/** The rounds of one setting, each with a rate and a p99. */
const rounds = (setting: string, rates: readonly number[], p99s: readonly number[]) =>
  rates.map((perSecond, round) =>
    run(setting, round, { ranked: { perSecond }, latencyMs: latency(p99s[round] ?? Number.NaN) }),
  );

test("the best setting has the highest median throughput among those within the limit", () => {
  const slow = rounds("32", [5000], [10]);
  const [medium, fast] = [rounds("64", [8000, 8200, 3000], [40, 49, 90]), rounds("128", [12_000, 12_500], [70, 75])];
  expect(bestWithin(50, settings, [...slow, ...medium, ...fast])?.name).toBe("64");
  expect(bestWithin(5, settings, slow)).toBeUndefined();
});

test.each([
  [9200, "32"],
  [10_000, "32"],
  [8900, "64"],
])("of settings within the noise of each other the first is chosen: %i beside 10,000 a second", (first, expected) => {
  const runs = [...rounds("32", [first], [20]), ...rounds("64", [10_000], [30]), ...rounds("128", [20_000], [90])];
  expect(bestWithin(50, settings, runs)?.name).toBe(expected);
});

test("a setting that lost events is not chosen", () => {
  const lossy = run("32", 0, { ranked: { perSecond: 9900 }, latencyMs: latency(20), agrees: false });
  const whole = { name: "64", rate: 10_000, p99: 30, throughput: "ranked /s" };
  expect(bestWithin(50, settings, [lossy, ...rounds("64", [10_000], [30])])).toEqual(whole);
});
