import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runReport } from "../command/run-report.ts";
import { sampleReport } from "../report.fixture.ts";
import { jsonOf } from "../stored-reports.ts";
import { bestRuns, readRuns, runsInReports, withoutOtherScales } from "./run-files.ts";
import { sampleRun, sampleSourceReport } from "./stored-run.fixture.ts";

async function folder(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "tally-results-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

test("the sources' runs are found among the reports of a folder", async () => {
  const directory = await folder();
  const write = (name: string, report: object) => writeFile(join(directory, name), jsonOf(report));
  await write("b.json", sampleSourceReport({ at: "2026-11-22T10:00:00.000Z" }));
  await write("a.json", sampleSourceReport({ at: "2026-11-22T11:00:00.000Z" }));
  await write("other.json", sampleReport());
  await writeFile(join(directory, "page.html"), "");
  await write("settings.json", sampleSourceReport({ settings: { BATCH_EVERY_MS: "0" } }));
  await write("source.json", { source: "S4", scale: 1, table: [], runs: [sampleSourceReport()] });
  await writeFile(join(directory, "cut-off.json"), jsonOf(sampleSourceReport()).slice(0, -100));
  await mkdir(join(directory, "folder.json"));
  const { groups, ...earlier } = sampleSourceReport();
  void groups;
  await write("earlier.json", earlier);
  await write("wrong.json", sampleSourceReport({ machine: JSON.parse("5") }));
  const said: string[] = [];
  expect((await runsInReports(directory, (line) => said.push(line))).map(({ at, load }) => [at, load])).toEqual([
    ["2026-11-22T10:00:00.000Z", "256 stores"],
    ["2026-11-22T11:00:00.000Z", "256 stores"],
  ]);
  expect(said.toSorted()).toEqual([
    expect.stringContaining("earlier.json is skipped: "),
    `${join(directory, "wrong.json")} is skipped: machine: expected string, got 5`,
  ]);
});

test("of each load, arrangement and scale the newest run is kept; of all scales the largest one compares", () => {
  const small = sampleRun({ runId: "small", scale: 0.1, at: "2026-11-22T12:00:00.000Z" });
  const old = sampleRun({ runId: "old", at: "2026-11-22T10:00:00.000Z" });
  const young = sampleRun({ runId: "young", at: "2026-11-22T11:00:00.000Z" });
  const other = sampleRun({ runId: "other", durability: "transient" });
  for (const runs of [
    [small, old, young, other],
    [other, young, old, small],
  ]) {
    const kept = bestRuns(runs);
    expect(kept.map(({ runId }) => runId)).toEqual(["small", "young", "other"]);
    expect(withoutOtherScales(kept).map(({ runId }) => runId)).toEqual(["young", "other"]);
  }
});

test("a good run comes before a larger one that lost events, and an undisturbed one before a disturbed one", () => {
  const lost = sampleRun({ runId: "lost", lost: 1, isGood: false });
  const stuck = sampleRun({ runId: "stuck", perSecond: null });
  const disturbed = sampleRun({ runId: "disturbed", isDisturbed: true });
  const small = sampleRun({ runId: "small", scale: 0.1, isDisturbed: false });
  const best = (...runs: Parameters<typeof bestRuns>[0]) =>
    withoutOtherScales(bestRuns(runs)).map(({ runId }) => runId);
  expect(best(lost, stuck, disturbed)).toEqual(["disturbed"]);
  expect(best(small, lost, stuck, disturbed)).toEqual(["small"]);
});

test("a report from new runs keeps them; a report without new runs makes the same files", async () => {
  const [from, to] = [await folder(), join(await folder(), "pages")];
  await writeFile(join(from, "run.json"), jsonOf(sampleSourceReport()));
  await runReport({ from, to });
  const pages = ["S0.html", "S1.html", "S2.html", "S3.html", "S4.html", "index.html"];
  expect((await readdir(to)).toSorted()).toEqual([...pages, "runs"].toSorted());
  const contents = () =>
    Promise.all([...pages, join("runs", "S4.json")].map((name) => readFile(join(to, name), "utf8")));
  const before = await contents();
  expect((await readRuns(join(to, "runs"))).map(({ load }) => load)).toEqual(["256 stores"]);
  await runReport({ to });
  expect(await contents()).toEqual(before);
});

test("a report without any run is wrong usage", async () => {
  const [from, to] = [await folder(), await folder()];
  await expect(runReport({ to })).rejects.toThrow(
    `${join(to, "runs")} has no runs; name a folder of reports with --from`,
  );
  await expect(runReport({ from, to })).rejects.toThrow(`--from: ${from} has no report of a source's run`);
  await expect(runReport({ from: join(from, "absent"), to })).rejects.toThrow("--from: ENOENT");
  await mkdir(join(to, "runs"));
  await writeFile(join(to, "runs", "S4.json"), "no JSON");
  await expect(runReport({ to })).rejects.toThrow("S4.json is not a file of pnpm bench report: expected JSON");
  await writeFile(join(to, "runs", "S4.json"), '[{"source":"S4","load":"x","series":{"p99":[]}}]');
  await expect(runReport({ to })).rejects.toThrow(/S4\.json is not a file of pnpm bench report: \[0\]\.\w+: expected/);
  await rm(join(to, "runs", "S4.json"));
  await mkdir(join(to, "runs", "S4.json"));
  await expect(runReport({ to })).rejects.toThrow("S4.json cannot be read: EISDIR");
});

test("nothing is kept where the pages cannot be written", async () => {
  const [from, to] = [await folder(), join(await folder(), "file")];
  await writeFile(join(from, "run.json"), jsonOf(sampleSourceReport()));
  await writeFile(to, "x");
  await expect(runReport({ from, to })).rejects.toThrow("ENOTDIR");
  expect(await readFile(to, "utf8")).toBe("x");
});
