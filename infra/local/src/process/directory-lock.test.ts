import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { claimDirectory, lockDirectory } from "./directory-lock.ts";

function newDirectory(): string {
  const parent = mkdtempSync(join(tmpdir(), "tally-lock-"));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  return join(parent, "own");
}

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

test("a launcher that deletes its directory keeps the lock until it unlocks, and does not unlock the next one's", async () => {
  const directory = newDirectory();
  const release = await lockDirectory(directory);
  rmSync(directory, { recursive: true });
  await expect(lockDirectory(directory)).rejects.toMatchObject({ code: "directory-in-use" });
  await release();
  await lockDirectory(directory);
  await expect(lockDirectory(directory)).rejects.toMatchObject({ code: "directory-in-use" });
});

test("a claim deletes what dead processes have left, whatever has their pids now, and keeps the others' directories", async () => {
  const parent = newDirectory();
  const [dead, reused, alive, other] = ["x-1", "x-2", "x-3", "y-1"].map((name) => join(parent, name));
  const locks = [`4194305 1`, `${process.ppid} 1`, undefined, "4194305 1"];
  for (const [index, directory = ""] of [dead, reused, alive, other].entries()) {
    mkdirSync(join(directory, "services"), { recursive: true });
    const lock = locks[index];
    if (lock === undefined) await lockDirectory(directory);
    else writeFileSync(`${directory}.lock`, lock);
  }
  const { directory } = await claimDirectory(parent, "x", () => undefined);
  expect(directory).toBe(join(parent, `x-${process.pid}`));
  expect(readFileSync(`${directory}.lock`, "utf8")).toMatch(new RegExp(`^${process.pid} `));
  const left = [dead, reused, alive, other].map((one = "") => [existsSync(one), existsSync(`${one}.lock`)]);
  expect(left).toEqual([
    [false, false],
    [false, false],
    [true, true],
    [true, true],
  ]);
});
