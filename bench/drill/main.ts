import { randomInt } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { domains } from "@tally/domains";
import { claimDirectory, firstFailure, ServiceError } from "@tally/local";
import { wholeNumber } from "@tally/runtime/flag-values";
import { Command, Option } from "commander";
import { interruption, list, servicesOption } from "../kit/index.ts";
import { writeJson } from "../measure/stored-reports.ts";
import { WrongUsage } from "../measure/wrong-usage.ts";
import { runDrill, type DrillFlags } from "./drill.ts";
import { sabotageNames } from "./inside/sabotages.ts";
import { isGood, summaryOf, tableHead, tableRow } from "./report.ts";
import { faultKinds } from "./schedule.ts";

const root = join(import.meta.dirname, "..", "..");
const say = (line: string): void => void process.stdout.write(`${line}\n`);

interface Flags extends DrillFlags {
  readonly domain?: readonly string[];
  readonly kinds?: readonly string[];
  readonly json?: string;
  readonly list?: boolean;
}

const program = new Command("drill")
  .description("starts a complete tally, puts load on it, injects faults, and audits the result")
  .option("--seed <number>", "the same seed gives the same faults", wholeNumber, randomInt(1, 2 ** 31))
  .option("--faults <number>", "number of faults", wholeNumber, 25)
  .option("--domain <names>", "only these domains, separated by commas", list)
  .option("--kinds <names>", "only these kinds of faults, separated by commas; see --list", list)
  .option("--rate <number>", "offered load in events per second", wholeNumber, 3000)
  .option("--equal-within <seconds>", "how long rankings may take to be equal, lost or under way", wholeNumber, 60)
  .addOption(
    new Option("--sabotage <mechanism>", "remove one mechanism: the drill must find it").choices(sabotageNames),
  )
  .addOption(servicesOption())
  .option("--json <file>", "write the report as JSON")
  .option("--list", "print the kinds of faults")
  .addHelpText(
    "after",
    "\nExit status: 0 nothing lost or doubled, 1 something lost, doubled or different, 2 wrong usage, or a server did not start.",
  )
  .showHelpAfterError("(see --help)")
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
  .parse();
const flags: Flags = program.opts();
if (flags.list === true) say(faultKinds.map(({ name }) => name).join("\n"));
else await drill();
// A socket that was destroyed while its reset waited for an end keeps Node 26 in its cleanup forever.
process.exit();

async function drill(): Promise<void> {
  const chosen = {
    isChosen: flags.kinds !== undefined,
    domains: named("--domain", domains, flags.domain),
    kinds: named("--kinds", faultKinds, flags.kinds),
  };
  const signal = interruption(() => say("stopping after the current step"));
  say(`seed ${flags.seed}`);
  const { directory, release } = await claimDirectory(join(root, ".tally"), "drill", say);
  const onFault: Parameters<typeof runDrill>[0]["onFault"] = (outcome, number) => {
    if (number === 1) say(tableHead);
    say(tableRow(outcome, number));
  };
  try {
    const report = await runDrill({ ...flags, ...chosen, root, directory, say, onFault, signal });
    // With differences the logs are needed.
    if (report.differences.length === 0) await rm(directory, { recursive: true, force: true });
    say(summaryOf(report));
    process.exitCode = isGood(report) ? 0 : 1;
    await writeJson(flags.json, report);
  } catch (thrown) {
    const error = firstFailure(thrown);
    if (signal.aborted) say("interrupted before the audit");
    else if (error instanceof ServiceError || error instanceof WrongUsage) process.stderr.write(`${error.message}\n`);
    else throw error;
    process.exitCode = signal.aborted ? 1 : 2;
  } finally {
    await release();
  }
}

function named<T extends { readonly name: string }>(flag: string, all: readonly T[], names?: readonly string[]) {
  if (names === undefined) return all;
  const unknown = names.find((name) => !all.some((one) => one.name === name));
  if (unknown !== undefined)
    program.error(`${flag}: "${unknown}" is not one of ${all.map(({ name }) => name).join(", ")}`);
  return all.filter(({ name }) => names.includes(name));
}
