import { PassThrough } from "node:stream";
import { StatusLine } from "@tally/runtime/status-line";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { showWaits, until, Waits } from "./until.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const erased = "\u001B[1G\u001B[2K";

test.each([
  [{}, 4, "\n"],
  [{ isTTY: true, columns: 80 }, 32, erased],
])("while something is waited for, a line says so at least every 2 s: %j", (terminal, lines, between) => {
  const stream = Object.assign(new PassThrough({ encoding: "utf8" }), terminal);
  const written = (): string => String(stream.read() ?? "");
  const waits = new Waits();
  showWaits(waits, new StatusLine(stream));
  vi.advanceTimersByTime(8000);
  expect(written()).toBe("");
  void waits.during("rabbitmq", () => new Promise(() => undefined));
  vi.advanceTimersByTime(8000);
  const all = written()
    .split(between)
    .filter((line) => line !== "");
  expect(all).toHaveLength(lines);
  for (const line of all) expect(line).toMatch(/^ {2}waiting for rabbitmq \(\d s\)$/);
});

test("a wait that has failed is no longer named", async () => {
  const waits = new Waits();
  await expect(waits.during("database", () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  expect(waits.text).toBeUndefined();
});

test("a step of the clock ends no wait", async () => {
  vi.useRealTimers();
  let wallMs = 0;
  vi.spyOn(Date, "now").mockImplementation(() => (wallMs += 7_200_000));
  onTestFinished(() => void vi.restoreAllMocks());
  const check = vi.fn<() => Promise<boolean>>().mockResolvedValueOnce(false).mockResolvedValue(true);
  expect(await until(check, { withinMs: 60_000, everyMs: 1 })).toBe(true);
});
