import { expect, test } from "vitest";
import { statusText } from "./status-command.ts";

const at = "2026-11-22T20:30:16.000Z";
const of = { at, app: "gateway", host: "vm", pid: 7, thread: null, level: "warn" } as const;
const lists = { problems: [], servers: [], domains: [], hops: [], processes: [] };

test("a line of a log that was repeated is shown once, with its number", () => {
  const lastErrors = [
    { ...of, message: "cannot connect to the broker; retrying", times: 2 },
    { ...of, message: "slow", times: 1 },
  ];
  const figures = { secondsToDrain: 0, replicaLagMs: 0, deadLetters: null };
  const text = statusText({ at, state: "ok", ...figures, ...lists, lastErrors });
  expect(text.trimEnd().split("\n").slice(-2)).toEqual([
    "2026-11-22 20:30:16  gateway vm:7  warn   cannot connect to the broker; retrying ×2",
    "2026-11-22 20:30:16  gateway vm:7  warn   slow",
  ]);
});
