import { expect, test, afterEach, vi } from "vitest";
import { reasonOf, silentLog, Outage, backOff, backOffMs } from "./failures.ts";

test.each([
  [new Error("a", { cause: new Error("b", { cause: "c" }) }), "a: b: c"],
  [new AggregateError([new Error("refused ::1"), new Error("refused 127.0.0.1")]), "refused ::1, refused 127.0.0.1"],
  [new TypeError(), "TypeError"],
  ["text", "text"],
])("a reason is the message and its causes", (error, reason) => {
  expect(reasonOf(error)).toBe(reason);
});

afterEach(() => void vi.useRealTimers().restoreAllMocks());

test("an outage is two log lines; with settleMs a failure during the recovery continues it", () => {
  vi.useFakeTimers();
  const lines: string[] = [];
  const keep = (_: object, line: string) => void lines.push(line);
  const outage = new Outage({ ...silentLog, info: keep, warn: keep }, "store purchases", { settleMs: 1000 });
  outage.worked();
  for (const failed of [true, true, false, true, false, false]) {
    if (failed) outage.failed(new Error("refused"));
    else outage.worked();
    vi.advanceTimersByTime(400);
  }
  expect(lines).toEqual(["cannot store purchases; retrying"]);
  vi.advanceTimersByTime(1000);
  expect(lines).toEqual(["cannot store purchases; retrying", "recovered: store purchases (down 1600 ms)"]);
});

test.each([
  ["conflict", 1, 5],
  ["conflict", 100, 500],
  ["unavailable", 1, 50],
  ["unavailable", 2, 100],
  ["unavailable", 7, 2000],
  ["unexpected", 1, 500],
  ["unexpected", 5000, 10_000],
  ["thread", 8, 10_000],
] as const)("%s: failure %i waits at most %i ms and at least half of it", (failureClass, failures, mostMs) => {
  for (let round = 0; round < 100; round++) {
    const delayMs = backOffMs(failures, failureClass);
    expect(delayMs).toBeGreaterThanOrEqual(mostMs / 2);
    expect(delayMs).toBeLessThanOrEqual(mostMs);
  }
});

test("an error waits as its class says, and one without a class as an unexpected one", async () => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  const startedAt = performance.now();
  const conflict = Object.assign(new Error("deadlock"), { failureClass: "conflict" });
  const waits = [new Error("a defect"), conflict].map(async (error) => {
    await backOff(1, error);
    return error.message;
  });
  // Of equal waits the first one would end first.
  expect(await Promise.race(waits)).toBe("deadlock");
  await Promise.all(waits);
  expect(performance.now() - startedAt).toBeGreaterThan(240);
});
