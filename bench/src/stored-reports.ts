import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pageOf } from "./page/page.ts";
import type { Report } from "./report.ts";

/** A report as it was stored. */
export async function readReport(file: string): Promise<Report> {
  const report: Report = JSON.parse(await readFile(file, "utf8"));
  return report;
}

/** Keeps it with its page under the moment of its run; answers the file. */
export async function keepReport(report: Report, results: string): Promise<string> {
  const file = join(results, `${report.at.replaceAll(":", "-")}-${report.design}.json`);
  await writeJson(file, report);
  await writeFile(file.replace(/json$/, "html"), await pageOf(report));
  return file;
}

/** Also makes the folder. */
export async function writeJson(file: string, content: object): Promise<void> {
  await mkdir(join(file, ".."), { recursive: true });
  await writeFile(file, `${JSON.stringify(content, undefined, 1)}\n`);
}

/** A line for each second of the load. */
export function csvOf({ perSecond }: Report): string {
  const rows = perSecond.map(({ accepted, read, failed, p50, p99 }, second) =>
    [second, accepted, read, failed, p50 ?? "", p99 ?? ""].join(","),
  );
  return `second,accepted,read,failed,p50_ms,p99_ms\n${rows.join("\n")}\n`;
}
