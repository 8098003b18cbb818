import { createMetrics, silentLog } from "@tally/runtime";
import { expect, test } from "vitest";
import { clockOffset } from "./clock-offset.ts";

test("a clock that differs by over 2 s logs once when that begins and once when it ends", async () => {
  const lines: string[] = [];
  const keep = (_: object, line: string) => void lines.push(line);
  let [ownMs, tripMs] = [0, 1000];
  const query = async () => {
    ownMs += tripMs;
    if (tripMs === 0) throw new Error("no response");
    return [{ now: 1_000_000 }];
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a row type is the caller's claim
  const writer = { query: query as never };
  const clock = clockOffset(writer, { ...silentLog, warn: keep, info: keep }, createMetrics(), () => ownMs);
  async function measured(aheadMs: number, takesMs = 1000): Promise<number | null> {
    tripMs = takesMs;
    ownMs = 1_000_000 + aheadMs - takesMs / 2;
    await clock.measure();
    return clock.ms;
  }
  expect([await measured(9000, 0), await measured(9000, 1001)]).toEqual([null, null]);
  expect([await measured(-2000), lines]).toEqual([-2000, []]);
  for (const offsetMs of [-2100, -2200, -1900, -2100]) expect(await measured(offsetMs)).toBe(offsetMs);
  expect(await measured(0, 0)).toBe(-2100);
  expect(lines).toEqual(["the clock of this process is 2.1 s behind the database's"]);
  expect(await measured(3)).toBe(3);
  expect(lines.slice(1)).toEqual(["the clock of this process agrees with the database's again"]);
});
