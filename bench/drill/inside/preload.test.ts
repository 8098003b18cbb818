import { spawn } from "node:child_process";
import { mkdir, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "@tally/local/at-end";
import { openInside } from "./inside.ts";

// Two threads print again and again by how many hours their dates are wrong.
const program = `
  const { isMainThread, Worker } = require("node:worker_threads");
  const hours = (date) => Math.round((date - performance.timeOrigin) / 3.6e6);
  setInterval(() => console.log(isMainThread, hours(Date.now()), hours(new Date()), new Date() instanceof Date), 10);
  if (isMainThread) new Worker(__filename);`;

test("an order shifts the dates in all threads of a process, and another one ends it; one that cannot be read has no effect", async () => {
  const directory = await temporaryDirectory();
  const inside = await openInside(directory, undefined);
  await writeFile(join(directory, "program.cjs"), program);
  const child = spawn("node", [...inside.flags("writer", "writer"), "program.cjs"], { cwd: directory });
  onTestFinished(() => void child.kill("SIGKILL"));
  const seen: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => seen.push(line));
  await mkdir(join(directory, "writer.order"));
  await expect.poll(() => seen.length, { timeout: 20_000 }).toBeGreaterThan(100);
  await rmdir(join(directory, "writer.order"));
  for (const hours of [0, 1, -1, 0]) {
    await inside.shiftClock("writer", hours * 3_600_000);
    seen.length = 0;
    const lines = [true, false].map((isMain) => `${isMain} ${hours} ${hours} true`);
    await expect.poll(() => seen, { timeout: 20_000 }).toEqual(expect.arrayContaining(lines));
  }
});
