import { join } from "node:path";
import { share, wholeNumber, list } from "@tally/runtime/flag-values";
import { Command } from "commander";
import { askedOf, refuseBefore } from "./command/asked.ts";
import { root, withFlags } from "./command/flags.ts";
import { reportFailure } from "./command/report-failure.ts";
import { runComparison } from "./command/run-comparison.ts";
import { runOnce } from "./command/run-once.ts";
import { say } from "./command/say.ts";
import { writePages, type ReportFlags } from "./results/write-pages.ts";
import { runSource } from "./command/run-source.ts";
import { runSources, type SourcesFlags } from "./command/run-sources.ts";
import { runSweep } from "./command/run-sweep.ts";
import { withSweepFlags, type SweepFlags } from "./command/sweep-flags.ts";
import { designNames } from "./designs/designs.ts";

const program = withFlags(new Command("bench"))
  .description("starts a fresh tally, puts load on it, measures every tier, waits until it has drained, and audits it")
  .showHelpAfterError("(see --help)")
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
  // A flag after the name of a subcommand is the subcommand's: in a sweep some have several values.
  .enablePositionalOptions();
program.action(() =>
  reportFailure((signal) => {
    const asked = askedOf(program);
    const { source } = asked.flags;
    return source === undefined ? runOnce(asked, signal) : runSource(source, asked, signal);
  }),
);
const compare = program.command("compare");
withFlags(compare)
  .description(
    "runs designs or commits in turns, each round in the reverse order of the one before, and prints their ratios",
  )
  .argument(
    "<designs...>",
    `${designNames.join(", ")}; append :persistent or :transient for another durability; batched@<commit> for the tally of another commit`,
  )
  .option("--rounds <number>", "runs of each", wholeNumber, 2)
  .action((names: readonly string[], options: { readonly rounds: number }) =>
    reportFailure((signal) => runComparison(names, options, askedOf(compare), signal)),
  );
const sweep = program.command("sweep");
withSweepFlags(sweep)
  .description("runs the same load with each value of one or two settings, several rounds, each in another order")
  .action(() => reportFailure((signal) => runSweep(askedOf<SweepFlags>(sweep), signal)));
program
  .command("sources")
  .description(
    "runs every arrangement with which a printed row of the sources is compared; continues where it was interrupted",
  )
  .argument("[names...]", "S0 to S4 (default: all)")
  // Without defaults: the flags of the program apply too.
  .option("--scale <share>", "share of the requests of tally as it is (default: 1)", share)
  .option("--scale-of-others <share>", "share of the requests of all other arrangements (default: --scale)", share)
  .option("--designs <names>", "only arrangements of these designs, separated by commas (default: all)", list)
  .option("--results <folder>", "folder where every run is stored (default: bench/results)")
  .action((names: readonly string[], options: SourcesFlags) =>
    reportFailure((signal) => runSources(names, options, askedOf(program), signal)),
  );
program
  .command("report")
  .description("writes the figures in the pages of docs/results from the runs that are kept there")
  .option(
    "--from <folder>",
    "first keep the sources' runs among the reports of this folder, of each a good, undisturbed, large and new one",
  )
  .option("--to <folder>", "folder of the pages", join(root, "docs", "results"))
  .action((options: ReportFlags) =>
    reportFailure(async () => {
      refuseBefore(program, "report runs nothing; its own flags stand after its name");
      await writePages(options, say);
    }),
  );
await program.parseAsync();
