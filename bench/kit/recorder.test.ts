import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { idBytes, quantile, Recorder } from "./recorder.ts";

test("the longest time without a 2xx counts from the start to the end; other replies do not end it", async () => {
  const recorder = new Recorder();
  const good = { name: "responded", status: 201, id: "", text: "", ms: 30 } as const;
  recorder.record(good, false);
  for (const reply of [{ ...good, status: 503, ms: 90 }, { name: "broken", ms: 90 } as const]) {
    await delay(100);
    recorder.record(reply, false);
  }
  const { longestGapMs, slowestMs, ...counts } = recorder.result();
  expect(longestGapMs).toBeGreaterThanOrEqual(199);
  expect(slowestMs).toBe(30);
  expect(counts).toMatchObject({ accepted: 1, connectionErrors: 1, statuses: { "201": 1, "503": 1 } });
});

test("while a load is paused is no time without a 2xx", async () => {
  const recorder = new Recorder();
  recorder.pause();
  await delay(500);
  // A request that was sent before.
  recorder.record({ name: "responded", status: 201, id: "", text: "", ms: 1 }, false);
  recorder.resume();
  expect(recorder.result().longestGapMs).toBeLessThan(500);
});

test.each([
  [true, 2 * idBytes],
  [false, 0],
])("ids are kept only where they are read (%s), and samples are taken in any case", (keepsIds, bytes) => {
  const samples: string[] = [];
  const recorder = new Recorder(({ id }) => samples.push(id), { keepsIds });
  const id = "01a1fb30-2980-71ee-89cd-4f71757df440";
  for (let n = 0; n < 2; n++) recorder.record({ name: "responded", status: 201, id, text: "", ms: 1 }, false);
  recorder.result();
  expect(recorder.ids).toHaveLength(bytes);
  expect(samples).toEqual([id]);
});

test("quantiles are interpolated, and 0 without values", () => {
  expect([0, 0.5, 0.75, 1].map((share) => quantile([4, 1, 3, 2, 5], share))).toEqual([1, 3, 4, 5]);
  expect(quantile([10, 20], 0.9)).toBeCloseTo(19);
  expect(quantile([], 0.5)).toBe(0);
});
