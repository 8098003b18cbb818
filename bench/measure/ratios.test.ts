import { expect, test } from "vitest";
import { ratios } from "./ratios.ts";
import { sampleReport } from "./report.fixture.ts";

test("ratios list every condition in which the two runs differ, unless the older report lacks it", () => {
  const ours = sampleReport();
  expect(ratios(ours, ours)).not.toContain("different");
  const { seed: _seed, ...older } = sampleReport({ domain: "albums", connections: 512, asked: { seconds: 30 } });
  const lines = ratios(ours, JSON.parse(JSON.stringify(older))).split("\n");
  expect(lines.filter((line) => line.startsWith("different"))).toEqual([
    'different domain: "purchases" here, "albums" there',
    'different asked: {"amount":100} here, {"seconds":30} there',
    "different connections: 10 here, 512 there",
  ]);
});

test("settings, the request of a replay and agents are conditions; what a replay measured is not", () => {
  const figures = { events: 9, originalSeconds: 9, untimed: 0, disordered: 0, lateFromMs: 1, behindAtEndMs: 0 };
  const replay = { file: "a", speed: 1, keys: "same", behindMs: null, late: 0, ...figures };
  const share = { sent: 1, accepted: 1, read: 0, busy: 0, clockOffsetMs: 0, roundTripMs: 0 };
  const ours = sampleReport({ replay, agents: [{ url: "http://a", ...share }] });
  expect(ratios(ours, { ...ours, replay: { ...replay, late: 7 } })).not.toContain("different");
  const theirs = { ...ours, settings: { BATCH_EVERY_MS: "0" }, replay: { ...replay, speed: 60 }, agents: null };
  const lines = ratios(ours, theirs).split("\n");
  expect(lines.filter((line) => line.startsWith("different"))).toEqual([
    'different settings: {} here, {"BATCH_EVERY_MS":"0"} there',
    'different replay: {"file":"a","speed":1,"keys":"same"} here, {"file":"a","speed":60,"keys":"same"} there',
    'different agents: ["http://a"] here, null there',
  ]);
});
