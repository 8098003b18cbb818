import { createReadStream, statSync } from "node:fs";
import { text as textOf } from "node:stream/consumers";
import { wholeNumber, wholeNumberTo } from "@tally/runtime/flag-values";
import { Option, type Command } from "commander";
import { domains } from "@tally/domains";
import { bulkRouteOf, ownRoutesOf } from "../entries/entry-fields.ts";
import { usageError, exitCodes, newCommand } from "../command.ts";
import { fileDomainNamed, jsonFlag, print, type JsonFlag } from "../flags.ts";
import { gatewayFlag, gatewayOf, type GatewayFlags } from "../gateway/gateway.ts";
import { withProgress } from "@tally/runtime/progress";
import { runImport } from "./run-import.ts";

interface ImportFlags extends JsonFlag, GatewayFlags {
  readonly domain?: string;
  readonly acknowledged?: string;
  readonly concurrency?: number;
  readonly giveUpAfter: number;
  readonly skipLine: readonly number[];
}

// The gateway's groups are full with a few bulk requests; single requests wait for their confirm.
const bulkRequests = 4;
const singleRequests = 64;
const connections = wholeNumberTo(256);

/** tally import */
export function importCommand(): Command {
  return newCommand("import", {
    1: "lines were rejected, and a file names each with its reason; or the gateway fails at a line, which the message names",
    3: "the gateway does not respond; the same command sends the file again and stores no line twice",
  })
    .description(
      "sends the events of a CSV or NDJSON file to a gateway, each line exactly once however often it is repeated",
    )
    .argument("<file>", "ends in .csv, .ndjson or .jsonl")
    .option("--domain <name>", "a domain, or voids, refunds, stores, items (default: by the header, else purchases)")
    .option("--acknowledged <file>", "writes the event ids of accepted lines, for tally audit --acknowledged")
    .option(
      "--concurrency <number>",
      `requests at once (default: ${bulkRequests} bulk or ${singleRequests} single requests)`,
      connections,
    )
    .option(
      "--give-up-after <seconds>",
      "how long a request is tried again while the gateway is down or busy",
      wholeNumber,
      60,
    )
    .addOption(
      new Option(
        "--skip-line <number...>",
        "lines that are not sent, and written to the rejected lines: for a line at which the gateway fails",
      )
        .argParser((text, before: readonly number[]) => [...before, wholeNumber(text)])
        .default([], "none"),
    )
    .addOption(jsonFlag)
    .addOption(gatewayFlag)
    .action(importFile);
}

/** What a CSV registers, by the first columns of its header; undefined: another file. */
async function registryOf(file: string): Promise<string | undefined> {
  if (!/\.csv$/i.test(file) || statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const head = await textOf(createReadStream(file, { end: 200 }));
  const start = head.replaceAll('"', "").replace(/^line,problem,/, "");
  const all = domains.flatMap(({ otherFiles }) => Object.entries(otherFiles ?? {}));
  const isOf = ([first, second]: readonly string[]) => new RegExp(`^${first},${second}\\b`).test(start);
  return all.find(([, { files }]) => files.isConfiguration === true && isOf(Object.keys(files.fields)))?.[0];
}

async function importFile(file: string, flags: ImportFlags): Promise<void> {
  const name = flags.domain ?? (await registryOf(file)) ?? "purchases";
  const domain = fileDomainNamed(name);
  const isBulk = bulkRouteOf(domain) !== undefined;
  if (!isBulk && ownRoutesOf(domain).length === 0)
    throw usageError(`--domain: ${domain.name} has no events without files`);
  if (flags.acknowledged !== undefined && domain.files?.isConfiguration === true)
    throw usageError(`--acknowledged: ${name} are no events`);
  const gateway = gatewayOf(flags);
  const startedAt = performance.now();
  const result = await withProgress((progress) =>
    runImport(
      {
        file,
        domain,
        gateway,
        acknowledgedFile: flags.acknowledged,
        concurrency: flags.concurrency ?? (isBulk ? bulkRequests : singleRequests),
        giveUpAfterMs: flags.giveUpAfter * 1000,
        skippedLines: new Set(flags.skipLine),
      },
      progress,
    ),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const { accepted, rejected, rejectedFile, renamed } = result;
  const text = [
    `${file}: ${accepted} lines accepted, ${rejected} rejected, in ${seconds.toFixed(1)} s`,
    ...(rejectedFile === null
      ? []
      : [`  rejected lines and reasons: ${rejectedFile}; correct them there and import that file`]),
    ...renamed.map((path) => `  a file of an earlier import is now ${path}`),
  ];
  print(flags, { file, domain: domain.name, url: gateway.url, ...result, seconds }, `${text.join("\n")}\n`);
  if (rejected > 0) process.exitCode = exitCodes.finding;
}
