import { rebuild } from "@tally/reconcile";
import { Command } from "commander";
import { CommandError } from "../exit-for-fault.ts";
import { domainsNamed, openSystem } from "../open-system.ts";
import { Progress } from "../progress.ts";

/** tally rebuild */
export function rebuildCommand(): Command {
  return new Command("rebuild")
    .description("builds the rankings anew from the rows, beside live traffic, and switches when they are whole")
    .option("--domain <name...>", "only these domains")
    .action(async ({ domain: names }: { domain?: string[] }) => {
      const chosen = domainsNamed(names);
      const system = await openSystem();
      const progress = new Progress();
      try {
        for (const domain of chosen) {
          const begunAt = performance.now();
          const outcome = await rebuild({
            domain,
            database: system.database,
            rankings: system.rankings,
            onProgress: ({ step, cells }) => progress.show(`${domain.name}: ${step}, cells`, cells, undefined),
          });
          progress.end();
          if (outcome.name === "busy") throw new CommandError(`${domain.name}: another process rebuilds it just now`);
          if (outcome.name === "abandoned") {
            throw new CommandError(`${domain.name}: Redis lost a part of it meanwhile; nothing was changed, try again`);
          }
          const seconds = ((performance.now() - begunAt) / 1000).toFixed(1);
          process.stdout.write(
            `${domain.name}: ${outcome.cells} cells of ${outcome.batches} batches, ${outcome.healed} batches since, in ${seconds} s\n`,
          );
        }
      } finally {
        progress.end();
        await system.close();
      }
    });
}
