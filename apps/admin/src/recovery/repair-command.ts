import { repair } from "@tally/reconcile";
import { readTotals } from "@tally/ledger";
import { Command } from "commander";
import { domainsNamed, openSystem } from "../open-system.ts";
import { Progress } from "../progress.ts";

/** tally repair */
export function repairCommand(): Command {
  return new Command("repair")
    .description("applies every batch of the ledger that is not marked in the rankings; safe at any time")
    .option("--domain <name...>", "only these domains")
    .action(async ({ domain: names }: { domain?: string[] }) => {
      const chosen = domainsNamed(names);
      const system = await openSystem();
      const progress = new Progress();
      try {
        for (const domain of chosen) {
          const { batches } = await readTotals(system.database.writer, domain.name);
          const { looked, healed, beyondRepair } = await repair({
            domain: domain.name,
            reader: system.database.writer,
            rankings: system.rankings,
            from: 0,
            until: Date.now(),
            onProgress: (so) => progress.show(`repairing ${domain.name}`, so.looked, batches),
          });
          progress.end();
          process.stdout.write(`${domain.name}: looked at ${looked} batches, applied ${healed}\n`);
          if (beyondRepair.length === 0) continue;
          process.exitCode = 1;
          const some = beyondRepair.slice(0, 3).join(", ");
          process.stdout.write(
            `${domain.name}: ${beyondRepair.length} batches are not ranked and their moves were pruned (${some}): run tally rebuild\n`,
          );
        }
      } finally {
        progress.end();
        await system.close();
      }
    });
}
