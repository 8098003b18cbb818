import type { Reply } from "../kit/index.ts";
import { expect, test } from "vitest";
import { isClientLimit } from "./make-report.ts";
import { sampleReport } from "./report.fixture.ts";
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
    expect(textOf(whole)).toMatch(/^Little's law +67\/s expected {2}error -?\d+(\.\d)? %$/m);
    const failed = sampleReport({}, undefined, (recorder) => recorder.record(reply, false));
    expect(failed.littlesLaw.expectedPerSecond).toBe(null);
  },
);

test("failures of POSTs and GETs are reported separately", () => {
  const report = sampleReport({}, undefined, (recorder) => {
    for (const isRead of [true, true, false])
      for (const reply of [response(503), silent, broken]) recorder.record(reply, isRead);
    recorder.record(response(200), true);
  });
  expect(report.errors).toMatchObject({ non2xx: 3, timeouts: 3, connections: 3, ofReads: 6 });
  expect(textOf(report)).toMatch(/^reads +\d+\/s {2}1 in [\d.]+ s, 6 failed {2}mean /m);
});

test("a report warns when a queue was full and when the client was the limit", () => {
  const quiet = { busy: 0.5, delayP99Ms: 1, isLimit: false };
  const text = (changes: Parameters<typeof sampleReport>[0]) => textOf(sampleReport({ client: quiet, ...changes }));
  expect(text({})).not.toMatch(/was full|was the bottleneck/);
  expect(text({ queue: { max: 10_000, isFull: true } })).toMatch(/^A queue was full/m);
  expect(text({ client: { ...quiet, isLimit: true } })).toMatch(/^The client was the bottleneck/m);
});
