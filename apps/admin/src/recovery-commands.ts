import { readTotals } from "@tally/ledger";
import type { Domain } from "@tally/pipeline";
import { rebuild, repair } from "@tally/reconcile";
import { Command } from "commander";
import { CommandError } from "./command-error.ts";
import { domainsFlag, domainsOf, type DomainsFlag } from "./flags.ts";
import { withServers, type Servers } from "./open-servers.ts";
import { withProgress, type Progress } from "./progress.ts";

/** tally repair */
export function repairCommand(): Command {
  return forEachDomain(
    "repair",
    "adds every batch of the ledger that has no mark to the rankings; safe at any time",
    repairDomain,
  );
}

/** tally rebuild */
export function rebuildCommand(): Command {
  return forEachDomain(
    "rebuild",
    "builds new rankings from the rows under live traffic, and switches to them when they are complete",
    rebuildDomain,
  ).option(
    "--delete-earlier-layout",
    "also delete what releases before mirrored counts left in Redis; none of their apps may run",
  );
}

interface RecoveryFlags extends DomainsFlag {
  readonly deleteEarlierLayout?: true;
}

type Work = (domain: Domain, servers: Servers, progress: Progress, flags: RecoveryFlags) => Promise<readonly string[]>;

/** `work` returns the lines to print for one domain. */
function forEachDomain(name: string, description: string, work: Work): Command {
  return new Command(name)
    .description(description)
    .addOption(domainsFlag)
    .action((flags: RecoveryFlags) => {
      const chosen = domainsOf(flags);
      return withServers((servers) =>
        withProgress(async (progress) => {
          for (const domain of chosen) {
            const lines = await work(domain, servers, progress, flags);
            progress.end();
            for (const line of lines) process.stdout.write(`${domain.name}: ${line}\n`);
          }
        }),
      );
    });
}

const repairDomain: Work = async ({ name }, { database: { writer }, rankings }, progress) => {
  const { batches } = await readTotals(writer, name);
  const { checked, counted, beyondRepair } = await repair({
    domain: name,
    reader: writer,
    rankings,
    from: 0,
    until: Date.now(),
    onProgress: (soFar) => progress.show(`${name}: repairing`, soFar.checked, batches),
  });
  const done = `checked ${checked} batches, added ${counted} to the rankings`;
  if (beyondRepair.length === 0) return [done];
  process.exitCode = 1;
  const some = beyondRepair.slice(0, 3).join(", ");
  return [
    done,
    `${beyondRepair.length} batches are not counted and their ranking messages were pruned (${some}): run tally rebuild`,
  ];
};

const rebuildDomain: Work = async (domain, { database, rankings }, progress, { deleteEarlierLayout }) => {
  const startedAt = performance.now();
  const outcome = await rebuild({
    domain,
    database,
    rankings,
    onProgress: ({ step, cells }) => progress.show(`${domain.name}: ${step}, cells`, cells, undefined),
  });
  if (outcome.name === "busy") throw new CommandError(`${domain.name}: another process is rebuilding it`);
  if (outcome.name === "abandoned")
    throw new CommandError(`${domain.name}: Redis lost a part of the new rankings; nothing was changed, try again`);
  const { cells, batches, counted } = outcome;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const done = `${cells} cells from ${batches} batches, plus ${counted} batches stored meanwhile, in ${seconds} s`;
  if (deleteEarlierLayout !== true) return [done];
  return [done, `deleted ${await rankings.deleteEarlierLayout(domain.name)} keys of the earlier layout`];
};
