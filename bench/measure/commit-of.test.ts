import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { commitOf } from "./commit-of.ts";

test("each state of a checkout has its own name, which comes back with the state", () => {
  const root = mkdtempSync(join(tmpdir(), "tally-commit-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  expect(commitOf(root)).toBe("unknown");
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], { cwd: root });
  const write = (file: string, text: string) => writeFileSync(join(root, file), text);
  git("init", "--quiet");
  write("tracked", "1");
  git("add", ".");
  git("commit", "--quiet", "--message", "one");
  const names = [commitOf(root)];
  expect(names[0]).toMatch(/^[0-9a-f]{7,}$/);
  for (const [file, text] of [
    ["tracked", "2"],
    ["tracked", "3"],
    ["new", "1"],
    ["new", "2"],
  ] as const) {
    write(file, text);
    names.push(commitOf(root));
    expect(names.at(-1)).toMatch(/^[0-9a-f]{7,} with changes [0-9a-f]{7}$/);
  }
  expect(new Set(names).size).toBe(names.length);
  rmSync(join(root, "new"));
  expect(commitOf(root)).toBe(names[2]);
  write("tracked", "1");
  expect(commitOf(root)).toBe(names[0]);
});
