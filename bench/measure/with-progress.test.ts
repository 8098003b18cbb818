import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { lengthOf, withProgress } from "./with-progress.ts";

test("a load that does not reply is asked once, and its late reply is reported", async () => {
  const reply = Promise.withResolvers<number>();
  let asked = 0;
  const reported: { readonly share: number; readonly through: number }[] = [];
  let hasEnded = false;
  const plan = {
    domain: "purchases",
    onProgress: (figures: { readonly share: number; readonly through: number }) => void reported.push(figures),
    onLoadEnded: () => (hasEnded = true),
  };
  const load = { progress: () => (asked++, reply.promise) };
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const outcome = await withProgress(plan, { model: "fill", amount: 200 }, load, async () => {
    vi.advanceTimersByTime(3500);
    expect(asked).toBe(1);
    reply.resolve(50);
    await vi.waitFor(() => expect(reported).toHaveLength(1), { timeout: 10_000 });
    expect(hasEnded).toBe(false);
    return "over";
  });
  expect(outcome).toBe("over");
  expect(hasEnded).toBe(true);
  expect(reported).toEqual([{ share: 0.25, through: 50 }]);
});

test("a reply that comes after the load has ended is not reported", async () => {
  const reply = Promise.withResolvers<number>();
  let reported = 0;
  const plan = { domain: "purchases", onProgress: () => void reported++, onLoadEnded: () => undefined };
  const asked = Promise.withResolvers<void>();
  const load = { progress: () => (asked.resolve(), reply.promise) };
  await withProgress(plan, { model: "fill", amount: 200 }, load, () => asked.promise);
  reply.resolve(200);
  await delay(50);
  expect(reported).toBe(0);
});

test.each([
  [{ model: "fill", amount: 7 }, { requests: 7 }],
  [{ model: "closed", until: { name: "amount", amount: 9 } }, { requests: 9 }],
  [{ model: "open", perSecond: 3, until: { name: "seconds", seconds: 4 } }, { seconds: 4 }],
] as const)("the length of a load: %o", (phase, length) => {
  expect(lengthOf("purchases", phase)).toEqual(length);
});
