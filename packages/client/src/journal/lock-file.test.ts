import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, rename, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryDirectory } from "../temporary-directory.test-kit.ts";
import { lockFile } from "./lock-file.ts";

/** The content of the lock file of a process that has ended. */
async function stale(): Promise<string> {
  const child = spawn(process.execPath, ["--eval", ""]);
  await once(child, "exit");
  return `${child.pid} 1`;
}

// Takes each lock that it can get and keeps it. Begins at a line on stdin, and prints the indexes of those that it has
// got.
const program = `
  import { once } from "node:events";
  import { join } from "node:path";
  import { lockFile } from ${JSON.stringify(new URL("lock-file.ts", import.meta.url).href)};
  const [folder, count] = process.argv.slice(1);
  console.log("ready");
  await once(process.stdin, "data");
  const got = [];
  for (let index = 0; index < Number(count); index++)
    await lockFile(join(folder, String(index))).then(
      () => got.push(index),
      (error) => { if (error.code !== "JOURNAL_IN_USE") throw error; },
    );
  console.log(JSON.stringify(got));
  await once(process.stdin, "end");`;

function startTaker(folder: string, count: number) {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program, folder, String(count)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}

async function nextLine({ lines }: { readonly lines: AsyncIterator<string> }): Promise<string> {
  const line = await lines.next();
  return line.done === true ? "ended" : line.value;
}

const begin = ({ child }: { readonly child: ChildProcessByStdio<Writable, Readable, null> }) => child.stdin.write("\n");

test.each([
  ["of a process that has ended", true],
  ["that does not exist yet", false],
])(
  "of several processes one gets a lock file %s",
  async (_name, exists) => {
    const folder = await temporaryDirectory();
    const count = 400;
    const content = await stale();
    if (exists) for (let index = 0; index < count; index++) await writeFile(join(folder, String(index)), content);
    const takers = Array.from({ length: 4 }, () => startTaker(folder, count));
    for (const taker of takers) expect(await nextLine(taker)).toBe("ready");
    for (const taker of takers) begin(taker);
    const got = await Promise.all(
      takers.map(async (taker): Promise<readonly number[]> => JSON.parse(await nextLine(taker))),
    );
    expect(got.flat().toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, index) => index));
    // Nothing is left beside the lock files.
    expect(await readdir(folder)).toHaveLength(count);
  },
  60_000,
);

test("a process that ended, also while it took a lock file over, does not keep others from it", async () => {
  const path = join(await temporaryDirectory(), "lock");
  for (const content of [await stale(), `${process.pid} 1`, ""]) {
    for (const file of [path, `${path}.takeover`, `${path}.takeover.takeover`]) await writeFile(file, content);
    const unlock = await lockFile(path);
    await expect(lockFile(path)).rejects.toMatchObject({ code: "JOURNAL_IN_USE" });
    await unlock();
    await expect(stat(path)).rejects.toThrow("ENOENT");
  }
});

test("the file of a process in another container is kept while that touches it, and taken over 10 s later", async () => {
  const path = join(await temporaryDirectory(), "lock");
  await writeFile(path, `${process.pid} 1 till-2:pid:[1]`);
  const touching = setInterval(() => void utimes(path, new Date(), new Date()), 200);
  await expect(lockFile(path)).rejects.toMatchObject({ code: "JOURNAL_IN_USE" });
  clearInterval(touching);
  const unlock = await lockFile(path);
  await utimes(path, 0, 0);
  await vi.waitFor(async () => expect((await stat(path)).mtimeMs).toBeGreaterThan(0), 5000);
  // As a process does that takes it over while this one is frozen.
  await writeFile(`${path}.2`, "2 1 till-2:pid:[1]");
  await rename(`${path}.2`, path);
  expect(await unlock.isHeld()).toBe(false);
  await unlock();
  expect(await readFile(path, "utf8")).toContain("till-2");
}, 30_000);

// Its parent has not waited for it yet.
test.runIf(process.platform === "linux")(
  "a zombie holds no lock file",
  async () => {
    const path = join(await temporaryDirectory(), "lock");
    const child = spawn("sh", ["-c", "sleep 0.2 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill());
    const [pid] = (await once(child.stdout, "data")).map(Number);
    const statOf = () => readFile(`/proc/${pid}/stat`, "utf8");
    await expect.poll(statOf).toContain(") Z ");
    await writeFile(path, `${pid} ${(await statOf()).split(" ")[21]}`);
    await lockFile(path);
    // As another process that has the pid now, where there is no /proc.
    const [, , place] = (await readFile(path, "utf8")).split(" ");
    await writeFile(`${path}.2`, `${pid}  ${place}`);
    await lockFile(`${path}.2`);
  },
  30_000,
);

test("calls of one process at the same time: one gets it", async () => {
  const path = join(await temporaryDirectory(), "lock");
  await writeFile(path, await stale());
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => lockFile(path)));
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

test("an error of the file system is not taken for a lock", async () => {
  const folder = await temporaryDirectory();
  await mkdir(join(folder, "lock"));
  await expect(lockFile(join(folder, "lock"))).rejects.toMatchObject({ code: "EISDIR" });
  await expect(lockFile(join(folder, "absent", "lock"))).rejects.toMatchObject({ code: "ENOENT" });
});
