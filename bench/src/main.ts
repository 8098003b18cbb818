import { wholeNumber } from "@tally/lab";
import { Command } from "commander";
import type { Asked } from "./command/asked.ts";
import { withFlags } from "./command/flags.ts";
import { orTell } from "./command/or-tell.ts";
import { runComparison } from "./command/run-comparison.ts";
import { runOnce } from "./command/run-once.ts";
import { runSource } from "./command/run-source.ts";
import { designNames } from "./designs/designs.ts";

const program = withFlags(new Command("bench"))
  .description("puts load on a fresh tally of its own, measures every tier, waits until it has drained, and audits it")
  .showHelpAfterError("(--help tells more)")
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
program.action(() =>
  orTell((signal) => {
    const { source } = asked().flags;
    return source === undefined ? runOnce(asked(), signal) : runSource(source, asked(), signal);
  }),
);
program
  .command("compare")
  .description("runs designs by turns, one order and then the other, and tells their ratios")
  .argument("<designs...>", `${designNames.join(", ")}; with :persistent or :transient behind for another durability`)
  .option("--rounds <number>", "runs of each", wholeNumber, 2)
  .action((names: readonly string[], { rounds }: { readonly rounds: number }) =>
    orTell((signal) => runComparison(names, rounds, asked(), signal)),
  );
await program.parseAsync();

function asked(): Asked {
  return { flags: program.opts(), isGiven: (flag) => program.getOptionValueSource(flag) === "cli" };
}
