import { expect, test } from "vitest";
import {
  compareSettings,
  nameOf,
  pointsOf,
  settingsOf,
  resultOf,
  tableOf,
  bestSetting,
  choiceOf,
  type Dimension,
  type SweepResult,
} from "./sweep.ts";
import { sampleReport } from "../report.fixture.ts";
import type { Report } from "../report.ts";

const alone = { connections: ["512"], gateways: ["1"], set: [] };

test("every flag with several values is a dimension, and the rest have one value in all runs", () => {
  const { dimensions, fixed } = settingsOf({
    ...alone,
    connections: ["32", "64"],
    set: ["WAITING_MAX=100,1000", "EMPTY="],
  });
  expect(dimensions).toEqual([
    { name: "connections", values: ["32", "64"] },
    { name: "WAITING_MAX", values: ["100", "1000"] },
  ]);
  expect(fixed).toEqual([
    { name: "gateways", values: ["1"] },
    { name: "EMPTY", values: [""] },
  ]);
});

test("a sweep has every combination of the values", () => {
  const dimensions = [
    { name: "connections", values: ["32", "64"] },
    { name: "shards", values: ["1", "4", "16"] },
  ];
  const names = pointsOf(dimensions).map((point) => nameOf(dimensions, point));
  expect(names).toEqual([
    "connections 32, shards 1",
    "connections 32, shards 4",
    "connections 32, shards 16",
    "connections 64, shards 1",
    "connections 64, shards 4",
    "connections 64, shards 16",
  ]);
});

test.each([
  [{}, "expected one or two settings with several values, such as --connections 32,64,128; got none"],
  [{ connections: ["1", "2"], gateways: ["1", "2"], set: ["A=1,2"] }, "got connections, gateways, A"],
  [{ connections: ["32", "64", "32"] }, "connections: 32 is given twice"],
  [{ set: ["A=1,2", "A=4"] }, "A is set twice"],
])("the settings %j are rejected", (given, message) => {
  expect(() => settingsOf({ ...alone, ...given })).toThrow(message);
});

test.each([
  [
    ["8", "9"],
    ["16", "1"],
  ],
  [
    ["8", "b"],
    ["8", "a"],
  ],
])(
  "settings are compared by their first value that differs, as numbers or by their place in the list: %j %j",
  (a, b) => {
    const dimensions = [
      { name: "n", values: ["16", "8"] },
      { name: "word", values: ["9", "1", "b", "a"] },
    ];
    expect(compareSettings(dimensions, a, b)).toBeLessThan(0);
    expect(compareSettings(dimensions, b, a)).toBeGreaterThan(0);
    expect(compareSettings(dimensions, a, a)).toBe(0);
  },
);

test("each setting has the lowest, median and highest figure of its rounds", () => {
  const { settings, throughput } = sampleResult([
    [
      [100, 9],
      [300, 5],
      [200, 7],
    ],
    [[50, 1]],
  ]);
  expect(throughput).toBe("ranked /s");
  expect(settings[0]).toMatchObject({
    point: ["32"],
    runs: 3,
    throughput: { low: 100, median: 200, high: 300 },
    p99Ms: { low: 5, median: 7, high: 9 },
  });
  expect(settings[2]).toMatchObject({ point: ["128"], runs: 0, throughput: null, p99Ms: null });
});

test("the throughput is of accepted events where rankings are unknown, and of reads where nothing is sent", () => {
  const run = sampleRun(1, 1);
  const figureOf = (changes: object) =>
    resultOf([connections], [{ point: ["32"], round: 0, report: { ...run, ...changes } }]).throughput;
  expect(figureOf({ ranked: { perSecond: null } })).toBe("accepted /s");
  const reads = { requests: 9, perSecond: 3, latencyMs: null };
  expect(figureOf({ accepted: { events: 0, perSecond: 0 }, ranked: { perSecond: 0 }, reads })).toBe("reads /s");
});

test("the table shows medians with their spread, runs that failed, and where the client was the limit", () => {
  const limited = { ...sampleRun(100, 9), client: { busy: 1, delayP99Ms: 1, isLimit: true } };
  const lost = {
    ...sampleRun(80, 8),
    audit: { acknowledged: 9, stored: 8, ranked: 8, lost: 1, doubled: 0 },
    agrees: false,
  };
  const result = resultOf(
    [connections],
    [
      { point: ["32"], round: 0, report: limited },
      { point: ["32"], round: 1, report: lost },
    ],
  );
  const [head, first, second, , fault] = tableOf(result).split("\n");
  expect(head).toMatch(/^connections {2}ranked \/s +p99 ms +CPU µs\/event$/);
  expect(first).toMatch(
    /^32 +90 \(80 to 100\) +8\.5 \(8\.0 to 9\.0\) .* {2}not all runs are good; the client was the limit in 1 of 2 runs$/,
  );
  expect(second).toMatch(/^64 +unknown +unknown +unknown$/);
  expect(fault).toBe("connections 32, round 2: lost 1, doubled 0, the audit does not agree");
});

const limits = { withinP99Ms: 50, within: 0.1 };
const chosenOf = (figures: Parameters<typeof sampleResult>[0]) =>
  bestSetting(sampleResult(figures), limits)?.chosen.point[0];

test("the best setting has the highest median throughput among those within the limit", () => {
  const figures = [
    [
      [5000, 10],
      [5200, 11],
      [5100, 90],
    ],
    [
      [8000, 40],
      [8200, 49],
      [3000, 30],
    ],
    [
      [12_000, 70],
      [12_500, 75],
      [12_700, 20],
    ],
  ] as const;
  expect(chosenOf(figures)).toBe("64");
});

test.each([
  [9200, 10_000],
  [9700, 9800],
  [10_000, 9600],
])("of settings within the noise of each other the smallest is chosen: %i and %i a second", (first, second) => {
  expect(chosenOf([[[first, 20]], [[second, 30]], [[20_000, 90]]])).toBe("32");
});

test("a setting that is slower than the noise is not chosen, however small", () => {
  expect(chosenOf([[[8900, 20]], [[10_000, 30]], [[9500, 40]]])).toBe("64");
});

test("a setting that lost events is not chosen", () => {
  const result = sampleResult([[[9900, 20]], [[10_000, 30]], [[9500, 40]]]);
  const settings = result.settings.map((one) => ({ ...one, isGood: one.point[0] !== "32" }));
  expect(bestSetting({ ...result, settings }, limits)?.chosen.point).toEqual(["64"]);
});

test("the choice names its figures and its rule, or the lowest p99 when none is within the limit", () => {
  const result = sampleResult([[[9900, 20]], [[10_000, 30]], [[12_000, 80]]]);
  expect(choiceOf(result, limits)).toBe(
    `best within p99 50 ms: connections 32 (ranked /s 9900, p99 20.0 ms)
rule: of the settings whose median p99 is at most 50 ms, the smallest connections with at least 90 % of the highest median throughput, that of connections 64 (ranked /s 10000, p99 30.0 ms)`,
  );
  expect(choiceOf(result, { ...limits, withinP99Ms: 5 })).toBe(
    "no setting that lost nothing has a median p99 of at most 5 ms; the lowest is that of connections 32 (ranked /s 9900, p99 20.0 ms)",
  );
});

const connections: Dimension = { name: "connections", values: ["32", "64", "128"] };

const report = sampleReport({ client: { busy: 0.5, delayP99Ms: 1, isLimit: false } });

/** A report with this throughput and p99. */
function sampleRun(perSecond: number, p99: number): Report {
  const latencyMs = { mean: 1, min: 1, p50: 1, p95: 1, p99, p999: p99, max: p99 };
  return { ...report, ranked: { perSecond }, latencyMs };
}

/** The result of a sweep; `figures`: throughput and p99 of the rounds of each setting. */
function sampleResult(figures: readonly (readonly (readonly [perSecond: number, p99: number])[])[]): SweepResult {
  const turns = pointsOf([connections]).flatMap((point, index) =>
    (figures[index] ?? []).map(([perSecond, p99], round) => ({ point, round, report: sampleRun(perSecond, p99) })),
  );
  return resultOf([connections], turns);
}
