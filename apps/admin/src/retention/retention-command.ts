import { clockOf, firstKeptMonth, isHostAhead, plan, removedAfterDays, retain } from "@tally/database";
import type { RetainOutcome, RetentionProgress } from "@tally/database";
import { domains } from "@tally/domains";
import { foldAll } from "@tally/reconcile";
import { readConfigOrExit, systemSettings } from "@tally/runtime";
import { wholeNumber } from "@tally/runtime/flag-values";
import type { Command } from "commander";
import { CommandError, usageError, newCommand } from "../command.ts";
import { domainNamed, jsonFlag, print, type JsonFlag } from "../flags.ts";
import { withServers } from "../open-servers.ts";
import { withProgress, type Progress } from "@tally/runtime/progress";
import { directoryOnDisk, exportMonth, type RetainedDomain } from "./export-month.ts";

interface RetentionFlags extends JsonFlag {
  readonly domain: string;
  readonly keepMonths: number;
  readonly export?: string;
  readonly dryRun?: true;
}

/** tally retention */
export function retentionCommand(): Command {
  return newCommand("retention", {
    1: "another process removes months, an earlier run removes a kept month, a file with other content is in the way, an exported line lacks content, or the clock of the host is ahead; nothing is lost: run the same command again to continue, for a kept month as the message says",
    3: "a server does not respond, or the table is in use for too long; run the same command again to continue",
  })
    .description("exports the rows of old months to files and removes them; rankings keep their counts")
    .requiredOption("--domain <name>", "the domain of the rows")
    .requiredOption(
      "--keep-months <number>",
      "the number of earlier months to keep beside the present one",
      wholeNumber,
    )
    .option("--export <directory>", "where the files of the removed months go, DOMAIN-MONTH.ndjson")
    .option("--dry-run", "only shows what it would do")
    .addOption(jsonFlag)
    .action(runRetention);
}

async function runRetention(flags: RetentionFlags): Promise<void> {
  const domain = retainedDomain(flags.domain);
  const now = Date.now();
  const firstKept = firstKeptMonth(flags.keepMonths, now);
  if (firstKept === undefined) {
    throw usageError(
      `--keep-months: expected months that ended at least ${removedAfterDays} days ago to be removed; keep one more`,
    );
  }
  if (flags.dryRun === true) return showPlan(domain, firstKept, flags);
  const { export: directory } = flags;
  if (directory === undefined) throw usageError("--export: expected a directory for the files");
  await directoryOnDisk(directory);
  await withServers(({ config, database, rankings }) =>
    withProgress(async (progress) => {
      if (isHostAhead(flags.keepMonths, now, await clockOf(database.writer)))
        throw new CommandError("the clock of this host is ahead of the database's");
      const onWait = (): void => progress.note("waits until all batches are folded");
      const outcome = await retain({
        url: config.databaseWriteUrl,
        database,
        domain,
        firstKept,
        foldAll: () => foldAll({ domain, database, rankings }, onWait),
        onProgress: (soFar) => show(progress, soFar),
        exportMonth: (month) =>
          exportMonth({
            domain,
            month,
            directory,
            database,
            onProgress: (events) => progress.show(`exporting ${month}`, events, undefined),
          }),
      });
      progress.end();
      if (outcome === undefined)
        throw new CommandError(`${domain.name}: another process removes months or migrates the tables`);
      print(flags, { domain: domain.name, firstKept, ...outcome }, outcomeText(domain, firstKept, outcome));
    }),
  );
}

function retainedDomain(name: string): RetainedDomain {
  const domain = domainNamed(name);
  const { retention, files } = domain;
  if (retention !== undefined && files !== undefined) return { ...domain, retention, files };
  const able = domains.filter((one) => one.retention !== undefined).map((one) => one.name);
  throw usageError(`--domain: expected one of ${able.join(", ")}, got ${name}, whose rows have no calendar date`);
}

async function showPlan(domain: RetainedDomain, firstKept: string, flags: RetentionFlags): Promise<void> {
  const { databaseWriteUrl } = systemSettings;
  const { databaseWriteUrl: url } = readConfigOrExit({ databaseWriteUrl });
  const { name } = domain;
  const { addsPartitions, unfinished, months } = await plan({ url, domain, firstKept });
  const lines = [
    ...(unfinished === null ? [] : [`would finish the removal of ${unfinished}`]),
    ...(addsPartitions === null ? [] : [`would add partitions, and writers would wait: ${addsPartitions}`]),
    ...months.map(({ month, events }) => `would export and remove ${month}: ${events} ${name}`),
    `would keep ${name} from ${firstKept} on`,
  ];
  print(flags, { domain: name, firstKept, addsPartitions, unfinished, months }, `${lines.join("\n")}\n`);
}

function outcomeText({ name }: RetainedDomain, firstKept: string, { converted, removed }: RetainOutcome): string {
  const lines = [
    ...(converted ? [`${name}: added partitions by month`] : []),
    ...removed.map(({ month, events, file }) => `${name}: removed ${month}, ${events} events in ${file}`),
    `${name}: kept from ${firstKept} on`,
  ];
  return `${lines.join("\n")}\n`;
}

function show(progress: Progress, { step, month }: RetentionProgress): void {
  if (step === "waiting")
    progress.note("waits, because a transaction uses the table: a rebuild, an audit or an export");
  else progress.show(month === undefined ? step : `${step} ${month}`, 0, undefined);
}
