import { nameOf, tasksOf, type SourceTask } from "../printed/arrangements.ts";
import { printedSources } from "../printed/printed-sources.ts";
import { sampleReport } from "../report.fixture.ts";
import type { Report } from "../report.ts";
import { storedRunOf, type StoredRun } from "./stored-run.ts";

/** A report of a source's run. */
export function sampleSourceReport(changes: Partial<Report> = {}): Report {
  const source = { name: "S4", run: 1, runs: 13, description: "256 stores", scale: 1 };
  return sampleReport({ model: "source", source, ...changes });
}

/** The run of such a report. */
export function sampleRun(changes: Partial<StoredRun> = {}): StoredRun {
  const run = storedRunOf(sampleSourceReport());
  if (run === undefined) throw new Error("the sample has no source");
  return { ...run, ...changes };
}

/** A run for every arrangement that a printed row of any source is compared with, with `changes`. */
export function sampleRuns(changes: Partial<StoredRun> = {}): readonly StoredRun[] {
  // Once: each report asks git for the commit.
  const sample = sampleRun(changes);
  const runOf = (source: string, { load, arrangement }: SourceTask): StoredRun => ({
    ...sample,
    ...arrangement,
    source,
    load: load.description,
    runId: `${load.description}, ${nameOf(arrangement)}`,
    phases: load.groups(0.001).map(({ name, connections }) => ({ name, connections, seconds: 10 })),
  });
  return printedSources.flatMap((source) => tasksOf(source).map((task) => runOf(source.name, task)));
}
