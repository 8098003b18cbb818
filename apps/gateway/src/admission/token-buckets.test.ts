import { Outage, silentLog } from "@tally/runtime";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Demand, tokenBuckets } from "./token-buckets.ts";

const limit = { perSecond: 10, burst: 5 };

/** Buckets whose calls get their replies from the test. */
function withCalls() {
  const calls: { demands: readonly Demand[]; reply: (granted: readonly number[]) => void; fail: () => void }[] = [];
  const buckets = tokenBuckets({
    supply: (demands) =>
      new Promise((resolve, reject) => {
        const reply = (granted: readonly number[]) =>
          resolve(granted.map((count) => ({ granted: count, remaining: 0, fullMs: 500 })));
        calls.push({ demands, reply, fail: () => reject(new Error("down")) });
      }),
    outage: new Outage(silentLog, "take tokens"),
  });
  const call = async (index: number) => vi.waitFor(() => calls[index] ?? expect.fail("no such call yet"), 10_000);
  return { buckets, calls, call };
}

test("requests of one turn share a call, and those during that call share the next", async () => {
  const { buckets, calls, call } = withCalls();
  const first = Array.from({ length: 40 }, (_, n) => buckets.take(n % 2 === 0 ? "a" : "b", limit, 1));
  const { demands, reply } = await call(0);
  expect(demands.map(({ subject, count }) => [subject, count])).toEqual([
    ["a", 20],
    ["b", 20],
  ]);
  const next = Array.from({ length: 7 }, () => buckets.take("c", limit, 3));
  reply([20, 20]);
  const second = await call(1);
  expect(second.demands.map(({ subject, cost, count }) => [subject, cost, count])).toEqual([["c", 3, 7]]);
  second.reply([7]);
  const taken = await Promise.all([...first, ...next]);
  expect(taken.every((one) => one !== "unknown" && one.granted)).toBe(true);
  expect(calls).toHaveLength(2);
});

test("tokens go to the first requests, and an empty bucket causes no call until a token is due", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { buckets, calls, call } = withCalls();
  const all = Promise.all(Array.from({ length: 5 }, async () => buckets.take("a", limit, 1)));
  (await call(0)).reply([2]);
  expect((await all).map((taken) => taken !== "unknown" && taken.granted)).toEqual([true, true, false, false, false]);
  expect((await all)[4]).toMatchObject({ againMs: 100, fullMs: 500 });
  expect(await buckets.take("a", limit, 1)).toMatchObject({ granted: false, remaining: 0 });
  expect(await buckets.take("a", limit, 5)).toMatchObject({ granted: false, againMs: expect.closeTo(500, -2) });
  expect(calls).toHaveLength(1);
  const other = buckets.take("b", limit, 1);
  (await call(1)).reply([1]);
  expect(await other).toMatchObject({ granted: true });
  await vi.waitFor(() => expect(buckets.take("a", limit, 1)).toBeInstanceOf(Promise), 10_000);
  (await call(2)).reply([1]);
});

test("after a failure requests are unknown at once, and Redis is called again a second later", async () => {
  const { buckets, calls, call } = withCalls();
  const failed = buckets.take("a", limit, 1);
  (await call(0)).fail();
  expect(await failed).toBe("unknown");
  expect(buckets.take("b", limit, 1)).toBe("unknown");
  expect(calls).toHaveLength(1);
  const again = await vi.waitFor(() => {
    const taken = buckets.take("b", limit, 1);
    expect(taken).not.toBe("unknown");
    return { taken };
  }, 3000);
  (await call(1)).reply([1]);
  expect(await again.taken).toMatchObject({ granted: true });
});

test("more subjects than fit into one call take several, and the memory of empty buckets is bounded", async () => {
  let demanded = 0;
  const buckets = tokenBuckets({
    supply: async (demands) => {
      expect(demands.length).toBeLessThanOrEqual(256);
      demanded += demands.length;
      return demands.map(() => ({ granted: 0, remaining: 0, fullMs: 1_000_000 }));
    },
    outage: new Outage(silentLog, "take tokens"),
  });
  const flood = () => Promise.all(Array.from({ length: 10_001 }, async (_, n) => buckets.take(`s${n}`, limit, 1)));
  await flood();
  expect(demanded).toBe(10_001);
  // The oldest was dropped: only it causes a call, which drops the next one.
  expect(buckets.take("s10000", limit, 1)).toMatchObject({ granted: false });
  expect(buckets.take("s0", limit, 1)).toBeInstanceOf(Promise);
});

test("a busy subject gets tokens in hand, no more than Redis has granted; after 100 ms they are dropped", async () => {
  vi.useFakeTimers({ now: 0, toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const fast = { perSecond: 1000, burst: 100 };
  const { buckets, calls, call } = withCalls();
  const takeOne = async (index: number, wanted: number) => {
    const taken = buckets.take("a", fast, 1);
    const { demands, reply } = await call(index);
    expect(demands[0]?.count).toBe(wanted);
    reply([wanted]);
    expect(await taken).toMatchObject({ granted: true, remaining: wanted - 1 });
  };
  await takeOne(0, 1);
  await takeOne(1, 2);
  expect(buckets.take("a", fast, 1)).toMatchObject({ granted: true, remaining: 0 });
  // 1 for the request, and 2 × 1 + 1 ahead.
  await takeOne(2, 4);
  for (const remaining of [2, 1, 0]) expect(buckets.take("a", fast, 1)).toMatchObject({ granted: true, remaining });
  await takeOne(3, 8);
  vi.advanceTimersByTime(101);
  await takeOne(4, 1);
  expect(calls).toHaveLength(5);
});
