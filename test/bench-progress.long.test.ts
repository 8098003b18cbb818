import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { benchMain } from "./run-bench.ts";

const timeout = 5 * 60_000;

test("on a terminal the bench shows the progress of its fill, warm-up and load", { timeout }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "tally-bench-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const flags = ["--connections", "8", "--fill", "20000", "--warm-up", "3", "--duration", "3", "--results", folder];
  // Gives the command a terminal.
  const child = spawn("script", ["-qec", [process.execPath, benchMain, ...flags].join(" "), "/dev/null"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [shown, errors, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  expect({ exitCode, shown, errors }).toMatchObject({ exitCode: 0 });
  // A bar starts by saving the position of the cursor.
  const [before = "", ...bars] = shown.split("\u001B7");
  expect(before).toContain("filling with 20000 events");
  expect(bars[0]).toContain("warming up");
  expect(bars).toHaveLength(3);
  for (const bar of bars) expect(bar).toMatch(/[=-]{20,} \d+ % \| \d+ requests/);
});
