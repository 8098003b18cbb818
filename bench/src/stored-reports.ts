import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { figures } from "./figures.ts";
import { pageOf } from "./page/page.ts";
import type { Report } from "./report.ts";

/** A report as it was stored. Throws one line for a file that cannot be read or is anything else. */
export async function readReport(file: string): Promise<Report> {
  const text = await readFile(file, "utf8");
  try {
    const report: Report = JSON.parse(text);
    if (isCompared(report)) return report;
  } catch {
    // no JSON, or JSON without what a report has
  }
  throw new TypeError(`${file} is no report of a run of pnpm bench`);
}

/** Whether it has what runs are compared by. Throws where even the objects around that are missing. */
function isCompared(report: Report): boolean {
  const { design, at, commit } = report;
  const values = figures.map(([, figureOf]) => figureOf(report));
  return (
    [design, at, commit].every((text) => typeof text === "string") &&
    values.every((value) => value === null || Number.isFinite(value))
  );
}

/** Keeps it with its page under the moment of its run; answers the file. */
export async function keepReport(report: Report, results: string): Promise<string> {
  const file = join(results, `${report.at.replaceAll(":", "-")}-${report.design}.json`);
  await writeWithFolder(file, jsonOf(report));
  await writeWithFolder(file.replace(/json$/, "html"), await pageOf(report));
  return file;
}

/** Also makes the folder. */
export async function writeWithFolder(file: string, content: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}

export const jsonOf = (content: object): string => `${JSON.stringify(content, undefined, 1)}\n`;

/** A line for each second of the load, each with the id of its run. */
export function csvOf({ runId, perSecond }: Report): string {
  const rows = perSecond.map(({ accepted, read, failed, p50, p99 }, second) =>
    [runId, second, accepted, read, failed, p50 ?? "", p99 ?? ""].join(","),
  );
  return `run,second,accepted,read,failed,p50_ms,p99_ms\n${rows.join("\n")}\n`;
}
