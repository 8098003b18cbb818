import { silentLog } from "@tally/runtime";
import { afterEach, expect, test, vi } from "vitest";
import { rebuildPace } from "./rebuild-pace.ts";

afterEach(() => void vi.useRealTimers());

function open() {
  vi.useFakeTimers({ toFake: ["performance"] });
  const seen: string[] = [];
  const log = { ...silentLog, warn: (_: object, line: string) => void seen.push(line) };
  const pace = rebuildPace("steps", log, (domain) => void seen.push(domain));
  let n = 0;
  /** Looks each second until a rebuild begins, which ends 10 s later. Returns how long that took, in s. */
  const rebuild = (): number => {
    for (let seconds = 0; ; seconds++, vi.advanceTimersByTime(1000)) {
      if (!pace.mayBegin(`${n++} batches are not ranked`)) continue;
      vi.advanceTimersByTime(10_000);
      pace.ended(`${n++} batches are not ranked`);
      return seconds;
    }
  };
  return { pace, rebuild, seen };
}

test("rebuilds for one reason wait longer and longer, and each wait is logged and counted once", () => {
  const { rebuild, seen } = open();
  expect(Array.from({ length: 9 }, rebuild)).toEqual([0, 1, 2, 4, 8, 16, 32, 60, 60]);
  expect(seen.length).toBe(2 * 8);
  expect(seen.slice(0, 2)).toEqual(["auditor: the rankings of steps need a rebuild again; it waits 1 s", "steps"]);
});

test("another reason waits for nothing, and neither does the same one after ten seconds with whole rankings", () => {
  const { pace, rebuild } = open();
  const waits = [rebuild(), rebuild()];
  expect(pace.mayBegin("unbuilt")).toBe(true);
  vi.advanceTimersByTime(10_000);
  expect([...waits, rebuild(), rebuild()]).toEqual([0, 1, 0, 1]);
});
