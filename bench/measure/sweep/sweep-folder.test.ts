import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeSweepFolder, readSweep, storedTurn, storeTurn } from "./sweep-folder.ts";
import { sampleRun, sampleSweep } from "./sweep.fixture.ts";

async function newFolder() {
  const results = await mkdtemp(join(tmpdir(), "tally-sweep-"));
  onTestFinished(() => rm(results, { recursive: true, force: true }));
  const sweep = sampleSweep([{ name: "PATHS", variable: "PATHS", values: ["/a b", "../c"] }]);
  return { sweep, folder: await makeSweepFolder(results, sweep) };
}

test("an interrupted sweep is read from its folder, with the runs that have ended", async () => {
  const { sweep, folder } = await newFolder();
  const report = sampleRun(100, 9);
  const turn = { round: 1, point: ["../c"] };
  await storeTurn(folder, sweep, turn, report);
  const read = await readSweep(folder);
  expect(read).toEqual(sweep);
  expect(await storedTurn(folder, read, turn)).toEqual(JSON.parse(JSON.stringify(report)));
  expect(await storedTurn(folder, read, { ...turn, round: 0 })).toBeUndefined();
  expect(await storedTurn(folder, read, { ...turn, point: ["/a b"] })).toBeUndefined();
  expect((await readdir(folder)).toSorted()).toEqual([
    "round-2_PATHS-..%2Fc.html",
    "round-2_PATHS-..%2Fc.json",
    "sweep.json",
  ]);
});

test("a run counts as done only when its report is complete", async () => {
  const { sweep, folder } = await newFolder();
  const turn = { round: 0, point: ["/a b"] };
  await storeTurn(folder, sweep, turn, sampleRun(100, 9));
  const file = join(folder, "round-1_PATHS-%2Fa%20b.json");
  const half = (await readFile(file, "utf8")).slice(0, 500);
  await writeFile(file, half);
  await expect(storedTurn(folder, sweep, turn)).rejects.toThrow(
    `${file} is not a report of pnpm bench; delete the file`,
  );
  // A write that is cut off leaves this file, and not the report.
  await rm(file);
  await writeFile(`${file}.new`, half);
  expect(await storedTurn(folder, sweep, turn)).toBeUndefined();
});

test.each([
  ["{}", "expected"],
  ["null", "expected"],
  ["no JSON", "expected JSON"],
  ['{"kind":"sweep of pnpm bench, version 1","commit":"abc1234"}', "at: expected"],
])("a folder with another sweep.json is rejected: %s", async (content, problem) => {
  const { folder } = await newFolder();
  await writeFile(join(folder, "sweep.json"), content);
  await expect(readSweep(folder)).rejects.toThrow("sweep.json is not a sweep of pnpm bench, version 1: ");
  await expect(readSweep(folder)).rejects.toThrow(problem);
  await expect(readSweep(join(folder, "none"))).rejects.toThrow("none has no sweep: ENOENT");
});
