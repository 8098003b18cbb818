import { sampleReport } from "../report.fixture.ts";
import type { Report } from "../report.ts";
import { nameOf, printedSources, tasksOf } from "./printed-sources.ts";
import { storedRunOf, type StoredRun } from "./stored-run.ts";

export function sampleSourceReport(changes: Partial<Report> = {}): Report {
  const source = { name: "S4", run: 1, runs: 13, description: "256 stores", scale: 1 };
  return sampleReport({ model: "source", source, ...changes });
}

export function sampleRun(changes: Partial<StoredRun> = {}): StoredRun {
  const run = storedRunOf(sampleSourceReport());
  if (run === undefined) throw new Error("the sample has no source");
  return { ...run, ...changes };
}

/** A run for every arrangement that a printed row of any source is compared with. */
export function sampleRuns(): readonly StoredRun[] {
  // Once: each report asks git for the commit.
  const sample = sampleRun();
  return printedSources.flatMap((source) =>
    tasksOf(source).map(({ load, arrangement }) => {
      const own = { source: source.name, load: load.description, machine: nameOf(arrangement) };
      return Object.assign({}, sample, arrangement, own);
    }),
  );
}
