import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../at-end.test-kit.ts";
import { claimDirectory, lockDirectory } from "./directory-lock.ts";

const newDirectory = async () => join(await temporaryDirectory(), "own");

test("one launcher has a directory until it unlocks it, also when it deletes it, and does not unlock the next one's", async () => {
  const directory = await newDirectory();
  const message = expect.stringContaining(`Process ${process.pid} `);
  const expectInUse = () =>
    expect(lockDirectory(directory)).rejects.toMatchObject({ code: "directory-in-use", message });
  const release = await lockDirectory(directory);
  await expectInUse();
  rmSync(directory, { recursive: true });
  await expectInUse();
  await release();
  await lockDirectory(directory);
  await expectInUse();
});

test("a claim deletes what dead processes have left, whatever has their pids now, and keeps the others' directories", async () => {
  const parent = await newDirectory();
  const all = ["x-1", "x-2", "x-3", "y-1"].map((name) => join(parent, name));
  // Of a dead process, of another one with its pid, of this one; of a dead process under another name.
  const locks = ["4194305 1", `${process.ppid} 1`, undefined, "4194305 1"];
  for (const [index, directory] of all.entries()) {
    mkdirSync(join(directory, "services"), { recursive: true });
    const lock = locks[index];
    if (lock === undefined) await lockDirectory(directory);
    else writeFileSync(`${directory}.lock`, lock);
  }
  const { directory } = await claimDirectory(parent, "x", () => undefined);
  expect(directory).toBe(join(parent, `x-${process.pid}`));
  expect(readFileSync(`${directory}.lock`, "utf8")).toMatch(new RegExp(`^${process.pid} `));
  const withLocks = (directories: readonly string[]) => directories.flatMap((one) => [one, `${one}.lock`]);
  expect(withLocks(all).filter((file) => existsSync(file))).toEqual(withLocks(all.slice(2)));
});
