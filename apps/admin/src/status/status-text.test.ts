import type { LoggedError } from "@tally/telemetry";
import { expect, test } from "vitest";
import { statusText } from "./status-command.ts";

const at = "2026-11-22T20:30:16.000Z";
const error = (message: string, times: number): LoggedError => ({
  at,
  app: "gateway",
  host: "vm",
  pid: 7,
  thread: null,
  level: "warn",
  message,
  times,
});

test("a line of a log that was repeated is shown once, with its number", () => {
  const text = statusText({
    at,
    state: "ok",
    problems: [],
    servers: [],
    domains: [],
    secondsToDrain: 0,
    replicaLagMs: 0,
    hops: [],
    processes: [],
    deadLetters: null,
    lastErrors: [error("cannot connect to the broker; retrying", 2), error("slow", 1)],
  });
  expect(text.trimEnd().split("\n").slice(-2)).toEqual([
    "2026-11-22 20:30:16  gateway vm:7  warn   cannot connect to the broker; retrying ×2",
    "2026-11-22 20:30:16  gateway vm:7  warn   slow",
  ]);
});
