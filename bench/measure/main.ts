import { join } from "node:path";
import { number, wholeNumber } from "@tally/runtime/flag-values";
import { Command } from "commander";
import { list, share } from "../kit/index.ts";
import { root, say, seedOption, withDesigns, withLoad, withOutput } from "./command/flags.ts";
import type { Flags, OutputFlags } from "./command/flags.ts";
import { reportFailure, runOnce } from "./command/run-once.ts";
import { runComparison, type CompareFlags } from "./command/run-comparison.ts";
import { runSources, type SourceFlags } from "./command/run-source.ts";
import { runSweep, type SweepFlags } from "./command/run-sweep.ts";
import { writePages, type ReportFlags } from "./results/write-pages.ts";

const program = new Command("bench")
  .description("starts a fresh tally, puts load on it, measures every tier, waits until it has drained, and audits it")
  .showHelpAfterError("(see --help)")
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));

withOutput(withLoad(program.command("run", { isDefault: true })))
  .description("one run; the default command")
  .action((flags: Flags & OutputFlags) => reportFailure((signal) => runOnce(flags, signal)));

withOutput(withDesigns(withLoad(program.command("compare"))))
  .description("runs designs or commits in turns, each round in another order, and prints their ratios")
  .option("--rounds <number>", "runs of each", wholeNumber, 2)
  .option(
    "--fail-below <share>",
    "exit with 1 when the first one's throughput is below this share of another's",
    number,
  )
  .action((names: readonly string[], flags: CompareFlags) =>
    reportFailure((signal) => runComparison(names, flags, signal)),
  );

withOutput(withLoad(program.command("sweep"), { isSweep: true }))
  .description(
    "runs the same load with each value of some settings, such as --connections 32,64,128; several rounds, each in another order",
  )
  .option("--rounds <number>", "runs with each value", wholeNumber, 3)
  .option(
    "--within-p99 <ms>",
    "name the first setting with 90 % of the highest throughput of those whose p99 is at most this",
    number,
  )
  .action((flags: SweepFlags) => reportFailure((signal) => runSweep(flags, signal)));

withOutput(program.command("source"))
  .description(
    "runs every arrangement with which a printed row of a source document is compared; continues where it was interrupted",
  )
  .argument("[names...]", "S0 to S4 (default: all)")
  .addOption(seedOption())
  .option("--scale <share>", "share of the source's requests", share, 1)
  .option("--designs <names>", "only arrangements of these designs, separated by commas (default: all)", list)
  .action((names: readonly string[], flags: SourceFlags) =>
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
