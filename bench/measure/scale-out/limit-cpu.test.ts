import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readProcess } from "@tally/local";
import { expect, onTestFinished, test, vi } from "vitest";
import { limitCpu } from "./limit-cpu.ts";

/** A folder with files as a kernel has them. */
function folder(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "tally-cgroup-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, "cpu"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  return root;
}

/** How often the kernel has made the group of a process wait. */
function timesLimited(pid: number): number {
  const files = ["cpu/", ""].map((parent) => `/sys/fs/cgroup/${parent}tally-bench-${pid}/cpu.stat`);
  const file = files.find((one) => existsSync(one)) ?? expect.fail("it has no group");
  return Number(/^nr_throttled (\d+)$/m.exec(readFileSync(file, "utf8"))?.[1]);
}

test("a quarter of a core is 2.5 ms in each 10 ms, in cgroups of version 1 and 2", async () => {
  const first = folder({});
  await limitCpu([71, 72], 0.25, first);
  const written = (root: string, group: string, ...files: readonly string[]) =>
    files.map((file) => readFileSync(join(root, group, file), "utf8"));
  expect(written(first, "cpu/tally-bench-72", "cpu.cfs_period_us", "cpu.cfs_quota_us", "cgroup.procs")).toEqual([
    "10000",
    "2500",
    "72",
  ]);
  const second = folder({ "cgroup.controllers": "cpu io\n", "cgroup.subtree_control": "io\n" });
  await limitCpu([73], 0.25, second);
  expect(written(second, ".", "cgroup.subtree_control")).toEqual(["+cpu"]);
  expect(written(second, "tally-bench-73", "cpu.max", "cgroup.procs")).toEqual(["2500 10000", "73"]);
});

test("without quotas the error says what is needed", async () => {
  await expect(limitCpu([1], 0.5, "/nowhere")).rejects.toThrow(
    /^cannot limit the CPU time of a process: .*; it needs root and \/nowhere$/,
  );
});

// Only where the kernel lets this user set a quota; elsewhere the error is the result.
test("a busy process with two busy threads gets no more than its share", async () => {
  const loop = "for (;;);";
  const busy = `new (require("node:worker_threads").Worker)(${JSON.stringify(loop)}, { eval: true }); setTimeout(() => { ${loop} }, 500)`;
  const child = spawn(process.execPath, ["-e", busy], { stdio: "ignore" });
  const ended = once(child, "exit");
  const pid = child.pid ?? expect.fail("it did not start");
  onTestFinished(() => void child.kill("SIGKILL"));
  const limit = await limitCpu([pid], 0.2).catch((error: unknown) => error);
  if (typeof limit !== "function") {
    expect(limit).toMatchObject({ code: "WRONG_USAGE" });
    return;
  }
  const used = () => readProcess(pid)?.cpuSeconds ?? expect.fail("it has ended");
  const [before, begunAt] = [used(), performance.now()];
  await vi.waitFor(() => expect(used()).toBeGreaterThan(before + 0.3), 30_000);
  // Without a limit two threads use up to two cores; on a busy machine less, but then the kernel never makes them wait for their share.
  expect((used() - before) / ((performance.now() - begunAt) / 1000)).toBeLessThan(0.3);
  expect(timesLimited(pid)).toBeGreaterThan(5);
  child.kill("SIGKILL");
  await ended;
  await limit();
});
