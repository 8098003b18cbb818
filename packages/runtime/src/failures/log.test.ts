import { afterEach, expect, test, vi } from "vitest";
import { silentLog, Outage } from "./log.ts";

afterEach(() => void vi.useRealTimers());

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
