import { expect, test } from "vitest";
import { queueVerdictOf } from "./queue-verdict.ts";

const verdictOf = (depths: readonly number[], max = 10_000) =>
  queueVerdictOf(depths.map((queued) => ({ queued, fullness: queued / max })));
const series = (length: number, depthAt: (look: number) => number) =>
  Array.from({ length }, (_, look) => depthAt(look));
/** Always the same, from 0 to below 1. */
const noise = (look: number) => Math.abs((Math.sin(look * 12.9898) * 43_758.5453) % 1);
const swinging = (look: number) => 20 + 20 * noise(look);

test("a queue that has found its level is at a plateau, also one that swings, that falls, or that rose before", () => {
  expect(verdictOf(series(60, () => 0))).toBe("plateau");
  expect(verdictOf(series(60, swinging))).toBe("plateau");
  expect(verdictOf(series(60, (look) => Math.min(look, 20) * 100 + swinging(look)))).toBe("plateau");
  expect(verdictOf(series(60, (look) => 3000 - look * 40))).toBe("plateau");
});

test.each([40, 100, 160, 4000])(
  "a queue that grows evenly to %i messages, and would grow on, is at its peak",
  (most) => {
    for (const looks of [9, 20, 60]) expect(verdictOf(series(looks, (look) => (look / looks) * most))).toBe("peak");
    expect(verdictOf(series(60, (look) => (look / 60) * most * 2 + swinging(look)))).toBe("peak");
  },
);

test("growth that begins late is no plateau", () => {
  expect(verdictOf(series(60, (look) => Math.max(0, look - 40) * 30))).toBe("peak");
});

test("a queue at its limit is full, however level that is, and also when it swings below", () => {
  expect(verdictOf(series(60, (look) => Math.min(look * 500, 10_000)))).toBe("full");
  expect(verdictOf(series(60, (look) => 8000 + (look % 10) * 200))).toBe("full");
  // It refuses as long as it has not fallen to 8,000.
  expect(verdictOf(series(60, (look) => (look < 12 ? look * 830 : 9994 - (look - 12) * 35)))).toBe("full");
  expect(verdictOf(series(60, (look) => 8000 + (look % 10) * 20))).toBe("plateau");
  expect(verdictOf(series(60, (look) => (look < 12 ? look * 830 : 9994 - (look - 12) * 150)))).toBe("plateau");
});

test("two looks tell nothing", () => {
  expect(verdictOf([0, 500])).toBeNull();
  expect(verdictOf([])).toBeNull();
});
