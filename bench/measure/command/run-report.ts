import { join } from "node:path";
import { reasonOf } from "@tally/runtime";
import { bestRuns, filesOfRuns, readRuns, runsInReports } from "../results/run-files.ts";
import { pagesOf, writeAll } from "../results/write-pages.ts";
import { WrongUsage } from "../wrong-usage.ts";
import { root } from "./flags.ts";
import { say } from "./say.ts";

/** Flags of `pnpm bench report`. */
export interface ReportFlags {
  /** A folder with reports of sources' runs; undefined: only the kept runs. */
  readonly from?: string;
  /** The folder of the pages; its folder `runs` has the kept runs. */
  readonly to: string;
}

export const defaultPages = join(root, "docs", "results");

/** Builds the pages from the kept runs, after it has added those of `from`. Of each load and arrangement it keeps the best run. */
export async function runReport({ from, to }: ReportFlags): Promise<void> {
  const folder = join(to, "runs");
  const kept = await readRuns(folder);
  const added = from === undefined ? [] : await inFolder(from);
  const runs = bestRuns([...kept, ...added.filter(({ gateways }) => gateways !== null)]);
  if (runs.length === 0)
    throw new WrongUsage(
      from === undefined
        ? `${folder} has no runs; name a folder of reports with --from`
        : `--from: ${from} has no report of a source's run`,
    );
  // All pages before the first file, so that a run which breaks one is not kept.
  const pages = await pagesOf(runs);
  if (from !== undefined) await writeAll(folder, filesOfRuns(runs));
  const files = await writeAll(to, pages);
  say([`${runs.length} runs`, ...files].join("\n"));
}

async function inFolder(from: string) {
  try {
    return await runsInReports(from, say);
  } catch (error) {
    throw new WrongUsage(`--from: ${reasonOf(error)}`, { cause: error });
  }
}
