import { expect, test } from "vitest";
import { errorsOf } from "./of-heartbeats.ts";

const line = (at: string, message: string, thread: number | null = null) =>
  ({ at, level: "warn", message, thread }) as const;
const beat = (pid: number, problems: readonly ReturnType<typeof line>[]) => ({
  v: 1 as const,
  app: "writer" as const,
  host: "h",
  pid,
  startedAt: 0,
  at: 0,
  ageMs: 0,
  threads: [],
  flows: [],
  held: [],
  hops: [],
  problems: [...problems],
});

test("equal lines of one thread are one entry, with their number and the time of the newest", () => {
  const errors = errorsOf([
    beat(1, [line("2026-05", "down"), line("2026-04", "slow"), line("2026-02", "down"), line("2026-01", "down", 0)]),
    beat(2, [line("2026-03", "down")]),
  ]);
  expect(errors.map(({ at, pid, thread, message, times }) => [at, pid, thread, message, times])).toEqual([
    ["2026-05", 1, null, "down", 2],
    ["2026-04", 1, null, "slow", 1],
    ["2026-03", 2, null, "down", 1],
    ["2026-01", 1, 0, "down", 1],
  ]);
});
