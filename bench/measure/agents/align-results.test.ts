import { Recorder } from "../../kit/load.ts";
import { expect, test } from "vitest";
import { mergeResults } from "../load/merge-results.ts";
import { nowMs } from "./agent-protocol.ts";
import { alignResults } from "./align-results.ts";
import { measureClock } from "./measure-clock.ts";

const resultOf = (seconds: number, accepted: readonly number[]) => ({
  ...new Recorder().result(),
  groups: [],
  seconds,
  sendingSeconds: seconds,
  perSecond: accepted.map((count) => ({ accepted: count, read: 0, failed: 0 })),
});

test("seconds of a load that began later are moved to where they were", () => {
  const aligned = alignResults([
    { result: resultOf(2, [5, 6]), startedAtMs: 1_002_100 },
    { result: resultOf(3, [1, 2, 3]), startedAtMs: 1_000_000 },
    { result: resultOf(1, [7]), startedAtMs: 1_000_400 },
  ]);
  const { seconds, sendingSeconds, perSecond } = mergeResults(aligned);
  expect([seconds, sendingSeconds]).toEqual([expect.closeTo(4.1, 6), expect.closeTo(4.1, 6)]);
  expect(perSecond.map(({ accepted }) => accepted)).toEqual([1 + 7, 2, 3 + 5, 6]);
});

test("the offset of a clock is known to half of the round trip", async () => {
  for (const offset of [-86_400_000, 0, 5000.5]) {
    const { offsetMs, roundTripMs } = await measureClock(() => Promise.resolve({ nowMs: nowMs() + offset }));
    expect(Math.abs(offsetMs - offset)).toBeLessThanOrEqual(roundTripMs / 2 + 0.001);
  }
  await expect(measureClock(() => Promise.resolve({}))).rejects.toThrow("expected the time of an agent");
});
