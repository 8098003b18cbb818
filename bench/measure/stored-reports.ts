import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { figures } from "./figures.ts";
import { pageOf } from "./page/page.ts";
import { replaceFile } from "./replace-file.ts";
import type { Report } from "./report.ts";

/** Reads a stored report. Throws an error of one line for a file that is unreadable or no report. */
export async function readReport(file: string): Promise<Report> {
  const report = reportIn(await readFile(file, "utf8"));
  if (report === undefined) throw new TypeError(`${file} is not a report of pnpm bench`);
  return report;
}

/** The report in the text of a file; undefined: it has none. */
export function reportIn(text: string): Report | undefined {
  try {
    const report: Report = JSON.parse(text);
    return isCompared(report) ? report : undefined;
  } catch {
    // not JSON, or JSON without the objects of a report
    return undefined;
  }
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

/** Stores a report and its page, named after the time of the run, each whole or not at all. Returns their files. */
export async function keepReport(
  report: Report,
  results: string,
): Promise<{ readonly file: string; readonly page: string }> {
  const name = join(results, `${report.at.replaceAll(":", "-")}-${report.design}`);
  const [file, page] = [`${name}.json`, `${name}.html`];
  await mkdir(results, { recursive: true });
  await replaceFile(file, jsonOf(report));
  await replaceFile(page, await pageOf(report));
  return { file, page };
}

/** Creates the folder when it is missing. */
export async function writeWithFolder(file: string, content: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}

export const jsonOf = (content: object): string => `${JSON.stringify(content, undefined, 1)}\n`;

/** The cumulative distribution of the latencies, by method: the share of requests with at most this latency, in ms. */
export function cdfCsvOf({ runId, cdf = [] }: Report): string {
  const rows = cdf.flatMap(({ method, points }) => points.map(({ ms, share }) => [runId, method, ms, share].join(",")));
  return ["run,method,latency_ms,share", ...rows, ""].join("\n");
}

/** One line for each second of the load. */
export function csvOf({ runId, perSecond }: Report): string {
  const rows = perSecond.map(({ accepted, read, failed, p50, p99 }, second) =>
    [runId, second, accepted, read, failed, p50 ?? "", p99 ?? ""].join(","),
  );
  return `run,second,accepted,read,failed,p50_ms,p99_ms\n${rows.join("\n")}\n`;
}
