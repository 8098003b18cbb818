import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { figures } from "./figures.ts";
import { pageOf } from "./page/page.ts";
import type { Report } from "./report.ts";

/** Reads a stored report. Throws an error of one line for a file that is unreadable or no report. */
export async function readReport(file: string): Promise<Report> {
  const text = await readFile(file, "utf8");
  try {
    const report: Report = JSON.parse(text);
    if (isCompared(report)) return report;
  } catch {
    // not JSON, or JSON without the objects of a report
  }
  throw new TypeError(`${file} is not a report of pnpm bench`);
}

/** Whether it has all figures for a comparison. Throws where an object around them is missing. */
function isCompared(report: Report): boolean {
  const { design, at, commit } = report;
  const values = figures.map(([, figureOf]) => figureOf(report));
  return (
    [design, at, commit].every((text) => typeof text === "string") &&
    values.every((value) => value === null || Number.isFinite(value))
  );
}

/** Stores a report and its page, named after the time of the run. Returns their files. */
export async function keepReport(
  report: Report,
  results: string,
): Promise<{ readonly file: string; readonly page: string }> {
  const name = join(results, `${report.at.replaceAll(":", "-")}-${report.design}`);
  const [file, page] = [`${name}.json`, `${name}.html`];
  await writeWithFolder(file, jsonOf(report));
  await writeWithFolder(page, await pageOf(report));
  return { file, page };
}

/** Creates the folder when it is missing. */
export async function writeWithFolder(file: string, content: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}

export const jsonOf = (content: object): string => `${JSON.stringify(content, undefined, 1)}\n`;

/** One line for each second of the load. */
export function csvOf({ runId, perSecond }: Report): string {
  const rows = perSecond.map(({ accepted, read, failed, p50, p99 }, second) =>
    [runId, second, accepted, read, failed, p50 ?? "", p99 ?? ""].join(","),
  );
  return `run,second,accepted,read,failed,p50_ms,p99_ms\n${rows.join("\n")}\n`;
}
