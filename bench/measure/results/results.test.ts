import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "@tally/local/at-end";
import { planOfSource } from "../command/plan-of.ts";
import { designOf } from "../designs/designs.ts";
import { sampleReport } from "../report.fixture.ts";
import { jsonOf } from "../stored-reports.ts";
import { changes } from "./printed-rows.ts";
import { printedSources, tasksOf } from "./printed-sources.ts";
import { sampleRun, sampleRuns, sampleSourceReport } from "./results.fixture.ts";
import { bestRuns, readRuns, runsInReports, withoutOtherScales } from "./run-files.ts";
import { storedRunOf } from "./stored-run.ts";
import { changeTable, figureTable, markedNameOf, scalingTable } from "./tables.ts";
import { writePages } from "./write-pages.ts";

const rows = printedSources.flatMap((source) =>
  source.rows.map((row) => ({ name: `${source.name} ${row.id}`, source, row })),
);
const quiet = () => undefined;
const s1 = printedSources.find(({ name }) => name === "S1") ?? expect.fail("there is no S1");
const s4 = printedSources.find(({ name }) => name === "S4") ?? expect.fail("there is no S4");

test("the sources print this many rows, each with another id", () => {
  const counts = printedSources.map((source) => [
    source.name,
    source.rows.length,
    new Set(source.rows.map(({ id }) => id)).size,
  ]);
  expect(counts).toEqual([14, 12, 6, 9, 33].map((count, index) => [`S${index}`, count, count]));
});

test.each(rows)("$name has an arrangement of ours that runs its load, or a reason why not", ({ source, row }) => {
  const arrangement = row.beside;
  if (typeof arrangement === "string") {
    expect(arrangement).toMatch(/^[A-Z].{20,}\.$/);
    return;
  }
  const { design, durability, gateways } = arrangement;
  const { stores, balanced } = designOf(design);
  // Only these designs send messages to the broker.
  if (stores !== "writer") expect(durability).toBe("confirmed");
  expect(gateways > 1).toBe(balanced === true);
  const load = expect.objectContaining({ description: row.load });
  expect(tasksOf(source)).toContainEqual({ load, run: expect.any(Number), arrangement });
});

test("every load of a source is asked for by a row, or is one of its main loads", () => {
  for (const source of printedSources) {
    const run = new Set(tasksOf(source).map((task) => task.run));
    expect([...run].toSorted((a, b) => a - b)).toEqual(source.loads.map((_, index) => index));
  }
});

test("a source runs each load as its rows say", () => {
  const { signal } = new AbortController();
  const plans = tasksOf(s4)
    .filter(({ arrangement }) => arrangement.design === "batched")
    .map(({ run, arrangement }) => planOfSource({ ...s4, run, scale: 0.0034, seed: 1 }, arrangement, signal));
  expect(plans.map(({ durability, connections, gateways }) => `${durability}, ${connections}, ${gateways}`)).toEqual(
    ["confirmed", "transient", "persistent"].flatMap((one) => [`${one}, 256, 1`, `${one}, 512, 1`]),
  );
});

test("our rate counts all requests until the last event was ranked", () => {
  // 100 events and 300 reads: 400 requests by the 0.2 s in which 100 events were ranked.
  const report = sampleSourceReport({
    accepted: { events: 100, perSecond: 1000 },
    ranked: { perSecond: 500 },
    reads: { requests: 300, perSecond: 2700, latencyMs: null },
  });
  expect(storedRunOf(report)?.perSecond).toBe(2000);
  const unranked = { seconds: 2, accepted: { events: 900, perSecond: 450 }, ranked: { perSecond: null } };
  expect(storedRunOf(sampleSourceReport({ ...unranked, design: "bare" }))?.perSecond).toBe(450);
  const stuck = storedRunOf(sampleSourceReport(unranked));
  expect(stuck?.perSecond).toBeNull();
  expect(stuck && markedNameOf(stuck)).toBe("batched, confirmed, 1 gateway (did not drain)");
});

test("a line says what a run lost and doubled, and what part of the load it was", () => {
  const run = sampleRun({ scale: 0.1, isDisturbed: true, lost: 2, doubled: 1, isGood: false });
  expect(markedNameOf(run)).toBe("batched, confirmed, 1 gateway (scale 0.1, disturbed, lost 2, doubled 1)");
  expect(markedNameOf(sampleRun({ isGood: false }))).toContain("(not good)");
});

test("every printed row is in the table of its source, with our figures or the reason why there are none", () => {
  for (const source of printedSources) {
    const own = sampleRuns().filter((run) => run.source === source.name);
    const [, , ...lines] = figureTable(source, own);
    expect(lines).toHaveLength(source.rows.length);
    for (const [index, line] of lines.entries())
      expect(line).toMatch(typeof source.rows[index]?.beside === "string" ? /\.\|$/ : /gateways?\|$/);
    expect(figureTable(source, []).join("\n")).not.toMatch(/\(scale|undefined|NaN/);
  }
  const run = sampleRun({ design: "batched", durability: "transient", perSecond: 8586, machine: "" });
  expect(figureTable(s4, [run])[2]).toMatch(
    /^\|256 stores\|queue in memory, single server\|4,293\|8,586\|2\.00\|299\|/,
  );
});

test("a change compares runs of the same size where there are two", () => {
  const ofS1 = { source: "S1", load: "32 threads" };
  const balanced = { ...ofS1, design: "balanced", gateways: 2, scale: 0.1, perSecond: 400 };
  const runs = [sampleRun({ ...ofS1, perSecond: 1000 }), sampleRun(balanced)];
  const line = (all: typeof runs) => changeTable(s1, all).find((text) => text.includes("load balancer, 32"));
  expect(line(runs)).toContain("|0.40 (different numbers of requests)|");
  expect(line([...runs, sampleRun({ ...ofS1, perSecond: 800, scale: 0.1 })])).toContain("|0.50|");
  for (const { name, rows: own } of printedSources)
    for (const [, of, against] of changes[name] ?? [])
      expect(own.map(({ id }) => id)).toEqual(expect.arrayContaining([of, against]));
});

test("a run with a scaling rule shows how many gateways it had and when", () => {
  const scaled = [
    { seconds: 0, gateways: 1 },
    { seconds: 12, gateways: 2 },
  ];
  const run = sampleRun({ source: "S1", load: "32 threads", design: "scaled", gateways: 4, perSecond: 1234, scaled });
  const [, , ...lines] = scalingTable(s1, [run, sampleRun({ source: "S1", load: "32 threads" })]);
  expect(lines).toEqual([
    expect.stringMatching(/^\|32 threads\|1,234\|\d*\|1, 2 from 12 s\|scaled, confirmed, 4 gateways\|$/),
  ]);
  expect(scalingTable(s4, [sampleRun()])).toEqual([]);
});

test("the sources' runs are found among the reports of a folder", async () => {
  const directory = await temporaryDirectory();
  const write = (name: string, report: object) => writeFile(join(directory, name), jsonOf(report));
  await write("b.json", sampleSourceReport({ at: "2026-11-22T10:00:00.000Z" }));
  await write("a.json", sampleSourceReport({ at: "2026-11-22T11:00:00.000Z" }));
  await write("other.json", sampleReport());
  await write("settings.json", sampleSourceReport({ settings: { BATCH_EVERY_MS: "0" } }));
  await writeFile(join(directory, "cut-off.json"), jsonOf(sampleSourceReport()).slice(0, -100));
  await mkdir(join(directory, "folder.json"));
  const said: string[] = [];
  const found = await runsInReports(directory, (line) => said.push(line));
  expect(found.map(({ at }) => at)).toEqual(["2026-11-22T10:00:00.000Z", "2026-11-22T11:00:00.000Z"]);
  expect(said).toEqual([expect.stringMatching(/cut-off\.json is skipped, because it is no report of this version: /)]);
});

test("of each load, arrangement and scale a good, undisturbed and new run is kept; of all scales the largest one compares", () => {
  const small = sampleRun({ commit: "small", scale: 0.1, isDisturbed: false });
  const old = sampleRun({ commit: "old", at: "2026-11-22T10:00:00.000Z" });
  const young = sampleRun({ commit: "young", at: "2026-11-22T11:00:00.000Z" });
  const other = sampleRun({ commit: "other", durability: "transient" });
  const commits = (runs: readonly { readonly commit: string }[]) => runs.map(({ commit }) => commit);
  for (const runs of [
    [small, old, young, other],
    [other, young, old, small],
  ]) {
    const kept = bestRuns(runs);
    expect(commits(kept)).toEqual(["small", "young", "other"]);
    expect(commits(withoutOtherScales(kept))).toEqual(["young", "other"]);
  }
  const lost = sampleRun({ commit: "lost", lost: 1, isGood: false });
  const stuck = sampleRun({ commit: "stuck", perSecond: null });
  const disturbed = sampleRun({ commit: "disturbed", isDisturbed: true });
  expect(commits(withoutOtherScales([lost, stuck, disturbed]))).toEqual(["disturbed"]);
  expect(commits(withoutOtherScales([small, lost, stuck, disturbed]))).toEqual(["small"]);
});

test("a report keeps new runs and the prose of a page; without new runs it makes the same files", async () => {
  const [from, to] = [await temporaryDirectory(), await temporaryDirectory()];
  await writeFile(join(from, "run.json"), jsonOf(sampleSourceReport()));
  await writePages({ from, to }, quiet);
  const names = ["S0", "S1", "S2", "S3", "S4"].map((name) => `${name}.md`);
  expect((await readdir(to)).toSorted()).toEqual([...names, "runs.json"].toSorted());
  await writeFile(join(to, "S4.md"), `# Before\n\n${await readFile(join(to, "S4.md"), "utf8")}\nAfter\n`);
  const contents = () => Promise.all(names.map((name) => readFile(join(to, name), "utf8")));
  const before = await contents();
  await writePages({ to }, quiet);
  expect(await contents()).toEqual(before);
  expect(before.join("\n")).toMatch(/# Before[^]*\|256 stores\|[^]*After/);
  expect((await readRuns(join(to, "runs.json"))).map(({ load }) => load)).toEqual(["256 stores"]);
});

test("a report without any run, or of a wrong file, is wrong usage, and writes nothing", async () => {
  const [from, to] = [await temporaryDirectory(), await temporaryDirectory()];
  const file = join(to, "runs.json");
  await expect(writePages({ to }, quiet)).rejects.toThrow(`${file} has no runs; name a folder of reports with --from`);
  await expect(writePages({ from, to }, quiet)).rejects.toThrow(`--from: ${from} has no report of a source's run`);
  await expect(writePages({ from: join(from, "absent"), to }, quiet)).rejects.toThrow(
    "the folder of reports cannot be read: ENOENT",
  );
  await writeFile(file, "[");
  await expect(writePages({ to }, quiet)).rejects.toThrow(/runs\.json cannot be read: /);
  await rm(file);
  await writeFile(join(to, "S4.md"), "no place for figures");
  await writeFile(join(from, "run.json"), jsonOf(sampleSourceReport()));
  await expect(writePages({ from, to }, quiet)).rejects.toThrow("S4.md: expected the lines");
  expect(await readdir(to)).toEqual(["S4.md"]);
});
