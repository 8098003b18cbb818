import type { EventFiles } from "@tally/contract";
import type { Command } from "commander";
import { usageError, newCommand } from "../command.ts";
import { fileDomainNamed, type JsonFlag, endpointFlag } from "../flags.ts";
import { withDatabase } from "../open-servers.ts";
import { withProgress } from "@tally/runtime/progress";
import { writeCompleteFile, exportEvents, type Selected, exportFormats } from "./export-events.ts";

interface ExportFlags extends JsonFlag {
  readonly store?: string;
  readonly date?: string;
  readonly output?: string;
  readonly endpoint: "read" | "write";
}

/** tally export */
export function exportCommand(): Command {
  return newCommand("export", { 3: "the database does not respond" })
    .description("writes the stored events of a domain as CSV or NDJSON, which tally import reads")
    .argument("[domain]", "the domain of the events, or voids, refunds, stores or items", "purchases")
    .option("--store <id>", "only this store")
    .option("--date <day>", "only this day: yyyymmdd for purchases, a number for steps and lift rides")
    .option(
      "--output <file>",
      "a file, written completely or not at all; CSV where its name ends in .csv (default: NDJSON on stdout)",
    )
    .addOption(endpointFlag)
    .option("--json", "prints the summary as JSON; without --output on stderr")
    .action(exportDomain);
}

async function exportDomain(name: string, flags: ExportFlags): Promise<void> {
  const { files } = fileDomainNamed(name);
  if (files === undefined) throw usageError(`${name}: its events cannot be exported`);
  const { output, endpoint } = flags;
  const format = output !== undefined && /\.csv$/i.test(output) ? "csv" : "ndjson";
  const selected = selectedBy(name, files, flags);
  const startedAt = performance.now();
  const events = await withDatabase(({ database }) =>
    withProgress(async (progress) => {
      const onProgress = (soFar: number): void => progress.show(`exporting ${name}, events`, soFar, undefined);
      const options = { files, format: exportFormats[format], selected, endpoint, database, onProgress };
      if (output === undefined) return exportEvents(options, process.stdout);
      return writeCompleteFile(output, (stream) => exportEvents(options, stream));
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const summary = { domain: name, events, format, output: output ?? null, seconds };
  const what = files.isConfiguration === true ? name : `events of ${name}`;
  const text = `${events} ${what}${output === undefined ? "" : ` in ${output}`}, in ${seconds.toFixed(1)} s\n`;
  const stream = output === undefined ? process.stderr : process.stdout;
  stream.write(flags.json === true ? `${JSON.stringify(summary)}\n` : text);
}

function selectedBy(name: string, { filters }: EventFiles, flags: ExportFlags): readonly Selected[] {
  return (["store", "date"] as const).flatMap((flag) => {
    const given = flags[flag];
    if (given === undefined) return [];
    const filter = filters[flag];
    if (filter === undefined) throw usageError(`--${flag}: ${name} has no such column`);
    return [{ where: filter.where, value: filter.parse(given) }];
  });
}
