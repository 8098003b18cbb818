import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { lengthOf, withProgress } from "./with-progress.ts";

test("a load that does not answer how far it is is asked once, and what it answers later is told", async () => {
  const answer = Promise.withResolvers<number>();
  let asked = 0;
  const told: { readonly share: number; readonly through: number }[] = [];
  let hasEnded = false;
  const plan = {
    domain: "purchases",
    onProgress: (figures: { readonly share: number; readonly through: number }) => void told.push(figures),
    onLoadEnded: () => (hasEnded = true),
  };
  const load = { progress: () => (asked++, answer.promise) };
  const outcome = await withProgress(plan, { model: "fill", amount: 200 }, load, async () => {
    await delay(3500);
    expect(asked).toBe(1);
    answer.resolve(50);
    await delay(50);
    expect(hasEnded).toBe(false);
    return "over";
  });
  expect(outcome).toBe("over");
  expect(hasEnded).toBe(true);
  expect(told).toEqual([{ share: 0.25, through: 50 }]);
});

test.each([
  [{ model: "fill", amount: 7 }, { requests: 7 }],
  [{ model: "closed", until: { name: "amount", amount: 9 } }, { requests: 9 }],
  [{ model: "open", perSecond: 3, until: { name: "seconds", seconds: 4 } }, { seconds: 4 }],
] as const)("when a load is over: %o", (phase, length) => {
  expect(lengthOf("purchases", phase)).toEqual(length);
});
