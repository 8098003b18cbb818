import type { Reply } from "../kit/index.ts";
import { expect, test } from "vitest";
import { isClientLimit } from "./make-report.ts";
import { sampleReport } from "./report.fixture.ts";
import { cdfCsvOf } from "./stored-reports.ts";
import { textOf } from "./text-of.ts";

test("the client is the limit when it is never idle, or late by half of what it measures", () => {
  expect(isClientLimit({ busy: 0.5, delayP99: 5 }, 60)).toBe(false);
  expect(isClientLimit({ busy: 0.96, delayP99: 5 }, 60)).toBe(true);
  expect(isClientLimit({ busy: 0.5, delayP99: 31 }, 60)).toBe(true);
});

const response = (status: number): Reply => ({ name: "responded", status, id: "", text: "", ms: 1 });
const silent: Reply = { name: "silent", ms: 10_000 };
const broken: Reply = { name: "broken", ms: 1 };

test.each([
  ["is rejected", response(503)],
  ["breaks its connection", broken],
])(
  "Little's law is not applied to a load in which a request %s: it occupies a connection and is not in the mean",
  (_what, reply) => {
    const whole = sampleReport({}, undefined, (recorder) => recorder.record(silent, false));
    expect(whole.littlesLaw).toEqual({ expectedPerSecond: expect.any(Number), errorPercent: expect.any(Number) });
    expect(sampleReport({}, undefined, (recorder) => recorder.record(reply, false)).littlesLaw).toEqual({
      expectedPerSecond: null,
      errorPercent: null,
    });
  },
);

test("each load of a run has its figures, and Little's law of the only one is that of the run", () => {
  const report = sampleReport();
  const [measured, drain] = report.phases;
  expect(drain).not.toHaveProperty("figures");
  expect(measured?.figures).toMatchObject({
    connections: 10,
    requests: 100,
    latencyMs: report.latencyMs,
    littlesLaw: report.littlesLaw,
  });
});

test("the phases of a run with several are rows of the text; those of an earlier bench have their times only", () => {
  const figures = sampleReport().phases[0]?.figures;
  const latencyMs = { mean: 6, min: 1, p50: 5, p95: 9, p99: 10, p999: 11, max: 12 };
  const known = figures && {
    ...figures,
    perSecond: 1600,
    latencyMs,
    littlesLaw: { expectedPerSecond: 1667, errorPercent: -4 },
  };
  const peak = { name: "peak", connections: 64, begun: 1, ended: 3.25 };
  const groups = [{ ...peak, ...(known && { figures: known }) }];
  expect(textOf(sampleReport({ groups }))).toMatch(
    /^peak +10 connections {2}from 1\.0 to 3\.3 s {2}1600\/s {2}mean 6\.0 .* p99 10\.0 .* Little's law 1667\/s {2}-4 % off$/m,
  );
  expect(textOf(sampleReport({ groups: [peak] }))).toMatch(/^peak +64 connections {2}from 1\.0 to 3\.3 s$/m);
  expect(textOf(sampleReport())).not.toMatch(/^measured /m);
});

test("the cumulative distribution of each method ends with all of its requests, also as CSV", () => {
  const report = sampleReport({ runId: "run" }, undefined, (recorder) => recorder.record(response(200), true));
  const [posts, gets, ...more] = report.cdf ?? [];
  expect([posts?.method, gets?.method, more]).toEqual(["POST", "GET", []]);
  // 100 POSTs that took 1 to 100 ms.
  for (const share of [0.25, 0.5, 0.99])
    expect(posts?.points.find((point) => point.share === share)?.ms).toBeCloseTo(share * 100, 0);
  expect(posts?.points.at(-1)).toEqual({ ms: expect.closeTo(100, 0), share: 1 });
  const [head, first, ...lines] = cdfCsvOf(report).trimEnd().split("\n");
  expect(head).toBe("run,method,latency_ms,share");
  expect(first).toMatch(/^run,POST,1(\.\d+)?,0$/);
  expect(lines.at(-1)).toMatch(/^run,GET,1(\.\d+)?,1$/);
  const { cdf: _none, ...older } = report;
  expect(cdfCsvOf(older)).toBe("run,method,latency_ms,share\n");
});

test("failures of POSTs and GETs are reported separately", () => {
  const report = sampleReport({}, undefined, (recorder) => {
    for (const isRead of [true, true, false])
      for (const reply of [response(503), silent, broken]) recorder.record(reply, isRead);
    recorder.record(response(200), true);
  });
  expect(report.errors).toMatchObject({ non2xx: 3, timeouts: 3, connections: 3, ofReads: 6 });
  expect(textOf(report)).toMatch(/^successes +POST 100, 3 failed {2}GET 1, 6 failed$/m);
});

test("a report warns when a queue was full and when the client was the limit", () => {
  const quiet = { busy: 0.5, delayP99Ms: 1, isLimit: false };
  const text = (changes: Parameters<typeof sampleReport>[0]) => textOf(sampleReport({ client: quiet, ...changes }));
  expect(text({})).not.toMatch(/was full|was the bottleneck/);
  expect(text({ queue: { max: 10_000, verdict: "full" } })).toMatch(/^A queue was full/m);
  expect(text({ client: { ...quiet, isLimit: true } })).toMatch(/^The client was the bottleneck/m);
});
