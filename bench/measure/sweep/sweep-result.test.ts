import { expect, test } from "vitest";
import { connections, sampleResult, sampleRun } from "./sweep.fixture.ts";
import { resultOf, tableOf } from "./sweep-result.ts";

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
