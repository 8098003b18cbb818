import { number, wholeNumber } from "@tally/service/flag-values";
import { Command } from "commander";
import type { Asked } from "./command/asked.ts";
import { withFlags } from "./command/flags.ts";
import { reportFailure } from "./command/report-failure.ts";
import { runComparison } from "./command/run-comparison.ts";
import { runOnce } from "./command/run-once.ts";
import { runSource } from "./command/run-source.ts";
import { designNames } from "./designs/designs.ts";

const program = withFlags(new Command("bench"))
  .description("starts a fresh tally, puts load on it, measures every tier, waits until it has drained, and audits it")
  .showHelpAfterError("(see --help)")
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
program.action(() =>
  reportFailure((signal) => {
    const { source } = asked().flags;
    return source === undefined ? runOnce(asked(), signal) : runSource(source, asked(), signal);
  }),
);
program
  .command("compare")
  .description(
    "runs designs or commits in turns, each round in the reverse order of the one before, and prints their ratios",
  )
  .argument(
    "<designs...>",
    `${designNames.join(", ")}; append :persistent or :transient for another durability; batched@<commit> for the tally of another commit`,
  )
  .option("--rounds <number>", "runs of each", wholeNumber, 2)
  .option("--fail-below <ratio>", "exit with 1 when the first design ranks less than this share of another", number)
  .action((names: readonly string[], options: { readonly rounds: number; readonly failBelow?: number }) =>
    reportFailure((signal) => runComparison(names, options, asked(), signal)),
  );
await program.parseAsync();

function asked(): Asked {
  return { flags: program.opts(), isGiven: (flag) => program.getOptionValueSource(flag) === "cli" };
}
