import { join } from "node:path";
import { list, number, share, wholeNumber } from "@tally/runtime/flag-values";
import { Command } from "commander";
import {
  root,
  say,
  withDesign,
  withLoad,
  withOutput,
  withSource,
  withSystem,
  type Flags,
  type OutputFlags,
} from "./command/flags.ts";
import { reportFailure, runOnce } from "./command/run-once.ts";
import { runComparison, type CompareFlags } from "./command/run-comparison.ts";
import { runSource, type SourceFlags, runSources, type SourcesFlags } from "./command/run-source.ts";
import { runSweep, type SweepFlags } from "./command/run-sweep.ts";
import { designNames } from "./designs/designs.ts";
import { writePages, type ReportFlags } from "./results/write-pages.ts";

const program = new Command("bench")
  .description("starts a fresh tally, puts load on it, measures every tier, waits until it has drained, and audits it")
  .showHelpAfterError("(see --help)")
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));

withOutput(withDesign(withSystem(withLoad(program.command("run", { isDefault: true })))))
  .description("one run; the default command")
  .action((flags: Flags & OutputFlags) => reportFailure((signal) => runOnce(flags, signal)));

withOutput(withSystem(withLoad(program.command("compare"))))
  .description("runs designs or commits in turns, each round in another order, and prints their ratios")
  .argument(
    "<designs...>",
    `${designNames.join(", ")}; append :persistent or :transient for another durability; batched@<commit> for the tally of another commit`,
  )
  .option("--rounds <number>", "runs of each", wholeNumber, 2)
  .option(
    "--fail-below <share>",
    "exit with 1 when the first one's throughput is below this share of another's",
    number,
  )
  .action((names: readonly string[], flags: CompareFlags) =>
    reportFailure((signal) => runComparison(names, flags, signal)),
  );

withOutput(withDesign(withSystem(withLoad(program.command("sweep"), { isSweep: true }), { isSweep: true })))
  .description(
    "runs the same load with each value of one or two settings, such as --connections 32,64,128; several rounds, each in another order",
  )
  .option("--rounds <number>", "runs with each value", wholeNumber, 3)
  .option("--within-p99 <ms>", "name the best setting whose p99 is at most this", number)
  .option(
    "--within <share>",
    "--within-p99: settings within this share of the highest throughput count as equal, and the smallest is chosen",
    share,
    0.1,
  )
  .action((flags: SweepFlags) => reportFailure((signal) => runSweep(flags, signal)));

withOutput(withDesign(withSystem(withSource(program.command("source")))))
  .description("the loads of a source document, compared with its printed figures")
  .argument("<name>", "S0 to S4")
  .action((name: string, flags: SourceFlags) => reportFailure((signal) => runSource(name, flags, signal)));

withOutput(withSource(program.command("sources")))
  .description("runs every arrangement with which a printed row is compared; continues where it was interrupted")
  .argument("[names...]", "S0 to S4 (default: all)")
  .option("--scale-of-others <share>", "share of the requests of all arrangements but tally as it is", share)
  .option("--designs <names>", "only arrangements of these designs, separated by commas (default: all)", list)
  .action((names: readonly string[], flags: SourcesFlags) =>
    reportFailure((signal) => runSources(names, flags, signal)),
  );

program
  .command("report")
  .description("writes the figures in the pages of docs/results from the runs that are kept there")
  .option(
    "--from <folder>",
    "first keep the sources' runs among the reports of this folder, of each a good, undisturbed, large and new one",
  )
  .option("--to <folder>", "folder of the pages", join(root, "docs", "results"))
  .action((options: ReportFlags) => reportFailure(() => writePages(options, say)));

await program.parseAsync();
