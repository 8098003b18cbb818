import type { Domain } from "@tally/contract";
import { rebuild, repair } from "@tally/reconcile";
import { wholeNumberTo } from "@tally/runtime/flag-values";
import type { Command } from "commander";
import { CommandError, exitCodes, newCommand } from "./command.ts";
import { domainsFlag, domainsOf, jsonFlag, print, type DomainsFlag, type JsonFlag } from "./flags.ts";
import { withServers, type Servers } from "./open-servers.ts";
import { withProgress, type Progress } from "@tally/runtime/progress";

/** tally repair */
export function repairCommand(): Command {
  const command = newCommand("repair", {
    1: "batches are not ranked and cannot be repaired: rebuild",
    3: "a server does not respond",
  }).description("adds every batch of the ledger that has no mark to the rankings; safe at any time");
  return forEachDomain(command, repairDomain);
}

/** tally rebuild */
export function rebuildCommand(): Command {
  const command = newCommand("rebuild", {
    1: "another process rebuilds a domain, or Redis lost a part of it; later domains were not tried",
    3: "a server does not respond",
  }).description("builds new rankings from the rows under live traffic, and switches to them when they are complete");
  return forEachDomain(command, rebuildDomain).option(
    "--shards <number>",
    "change the number of shards; the running apps follow",
    wholeNumberTo(1024),
  );
}

interface RecoveryFlags extends DomainsFlag, JsonFlag {
  readonly shards?: number;
}

/** Returns what was done for one domain: as lines, and as figures for --json. */
type Work = (
  domain: Domain,
  servers: Servers,
  progress: Progress,
  flags: RecoveryFlags,
) => Promise<{ readonly lines: readonly string[]; readonly figures: object }>;

function forEachDomain(command: Command, work: Work): Command {
  return command
    .addOption(domainsFlag)
    .addOption(jsonFlag)
    .action((flags: RecoveryFlags) => {
      const chosen = domainsOf(flags);
      return withServers((servers) =>
        withProgress(async (progress) => {
          const all: object[] = [];
          for (const domain of chosen) {
            const { lines, figures } = await work(domain, servers, progress, flags);
            progress.end();
            all.push({ domain: domain.name, ...figures });
            if (flags.json !== true) for (const line of lines) process.stdout.write(`${domain.name}: ${line}\n`);
          }
          print(flags, all, "");
        }),
      );
    });
}

const repairDomain: Work = async ({ name }, { database: { writer }, rankings }, progress) => {
  const { checked, ranked, beyondRepair } = await repair({
    domain: name,
    reader: writer,
    rankings,
    from: 0,
    until: Number.MAX_SAFE_INTEGER,
    onProgress: (soFar) => progress.show(`${name}: repairing`, soFar.checked, undefined),
  });
  const done = `checked ${checked} batches, ranked ${ranked} of them`;
  const figures = { checked, ranked, beyondRepair: beyondRepair.length };
  if (beyondRepair.length === 0) return { lines: [done], figures };
  process.exitCode = exitCodes.finding;
  const some = beyondRepair.slice(0, 3).join(", ");
  const missing = `${beyondRepair.length} batches are not ranked, and their ranking messages cannot be read (${some}): run tally rebuild`;
  return { lines: [done, missing], figures };
};

const rebuildDomain: Work = async (domain, { database, rankings }, progress, { shards }) => {
  const startedAt = performance.now();
  const stop = new AbortController();
  progress.onInterrupt = () => stop.abort();
  const outcome = await rebuild({
    domain,
    database,
    rankings,
    shards,
    signal: stop.signal,
    onProgress: ({ step, done, total }) => progress.show(`${domain.name}: ${step}`, done, total),
  }).finally(() => stop.signal.aborted && progress.exit());
  if (outcome.name === "busy") throw new CommandError(`${domain.name}: another process is rebuilding it`);
  if (outcome.name === "abandoned")
    throw new CommandError(`${domain.name}: Redis lost a part of the new rankings, which were abandoned: try again`);
  const { cells, batches, ranked } = outcome;
  const seconds = (performance.now() - startedAt) / 1000;
  const count = await rankings.shards(domain.name);
  const shardsText = count === 1 ? "1 shard" : `${count} shards`;
  const done = `${cells} cells from ${batches} batches, plus ${ranked} batches stored meanwhile, in ${shardsText}, in ${seconds.toFixed(1)} s`;
  const figures = { cells, batches, ranked, shards: count, seconds };
  return { lines: [done], figures };
};
