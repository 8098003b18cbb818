import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { lockDirectory } from "./directory-lock.ts";

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "tally-lock-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

const holder = (directory: string): string => readFileSync(join(directory, "launcher.lock"), "utf8");

test("one launcher has a directory until it unlocks it", async () => {
  const directory = newDirectory();
  const release = await lockDirectory(directory);
  await expect(lockDirectory(directory)).rejects.toMatchObject({
    code: "directory-in-use",
    message: expect.stringContaining(`Process ${process.pid} `),
  });
  await release();
  await (
    await lockDirectory(directory)
  )();
});

test("of many launchers at the same time one gets the directory", async () => {
  const directory = newDirectory();
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => lockDirectory(directory)));
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

test("the lock of a dead launcher is taken over", async () => {
  const directory = newDirectory();
  const dead = spawnSync(process.execPath, ["--version"]).pid;
  writeFileSync(join(directory, "launcher.lock"), `${dead} 12345`);
  await lockDirectory(directory);
  expect(holder(directory)).toMatch(new RegExp(`^${process.pid} `));
});

test("a lock whose pid belongs to another process now is taken over", async () => {
  const directory = newDirectory();
  writeFileSync(join(directory, "launcher.lock"), `${process.ppid} 1`);
  await lockDirectory(directory);
  expect(holder(directory)).toMatch(new RegExp(`^${process.pid} `));
});
