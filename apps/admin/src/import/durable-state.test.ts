import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

/*
 * A kill keeps what was written, so only the system calls show whether a crash of the machine would. Skipped without
 * strace.
 */

const run = promisify(execFile);
const hasStrace = await run("strace", ["-V"]).then(
  () => true,
  () => false,
);

const program = `
  import { nothingWritten, replaceFile, ResumedFile } from ${JSON.stringify(new URL("durable-files.ts", import.meta.url).href)};
  const rejected = new ResumedFile("rejected", nothingWritten, "head\\n");
  for (const line of ["one\\n", "two\\n"]) {
    rejected.append(line);
    rejected.sync();
    replaceFile("state", "{}");
  }`;

test.skipIf(!hasStrace)("what a state counts is on disk before the state has its name, and then the name", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tally-import-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const log = join(folder, "strace");
  const traced = ["-f", "-y", "-e", "trace=fsync,fdatasync,/rename", "-o", log];
  await run("strace", [...traced, process.execPath, "--input-type=module", "--eval", program], { cwd: folder });
  const calls = (await readFile(log, "utf8"))
    .split("\n")
    .flatMap((line) => /^\d+ +(?:f(?:data)?(sync)\(\d+<([^>]+)>|(rename)\w*\([^)]*?"state\.new")/.exec(line) ?? [])
    .filter((_, index) => index % 4 !== 0);
  const synced = (name: string) => ["sync", join(folder, name).replace(/\/$/, ""), undefined];
  const saved = [...synced("state.new"), undefined, undefined, "rename", ...synced("")];
  expect(calls).toEqual([...synced("rejected"), ...synced(""), ...saved, ...synced("rejected"), ...saved]);
});
