import { randomInt } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { domains } from "@tally/domains";
import { claimDirectory } from "@tally/local";
import { Command, InvalidArgumentError, Option } from "commander";
import { runDrill } from "./drill.ts";
import { runOverload } from "./overload.ts";
import { sabotageNames, type Sabotage } from "./inside/sabotages.ts";
import { faultKinds } from "./kinds/kinds.ts";
import { isGood, tableHead, tableRow, verdictOf } from "./report.ts";

const root = join(import.meta.dirname, "..", "..");
const say = (line: string): void => void process.stdout.write(`${line}\n`);

interface Flags {
  readonly seed: number;
  readonly faults: number;
  readonly domain?: string[];
  readonly kinds?: string[];
  readonly rate: number;
  readonly warmUp: number;
  readonly wide?: boolean;
  readonly pileUp?: boolean;
  readonly sabotage?: Sabotage;
  readonly json?: string;
}

const program = new Command("chaos")
  .description("starts a tally of its own, puts load on it, breaks it in every way it knows, and audits what is left")
  .option("--seed <number>", "the same seed gives the same faults", wholeNumber, randomInt(1, 2 ** 31))
  .option("--faults <number>", "how many", wholeNumber, 25)
  .option("--domain <names>", "only these, between commas", (text) => text.split(","))
  .option("--kinds <names>", "only these, between commas; --list tells all", (text) => text.split(","))
  .option("--rate <number>", "events a second that are offered", wholeNumber, 3000)
  .option("--warm-up <seconds>", "load before the first fault", wholeNumber, 3)
  .option("--wide", "keys as many as there are: large boards, which take their time to be built anew")
  .option("--pile-up", "do not wait after a fault of Redis until the rankings equal the rows again")
  .addOption(
    new Option("--sabotage <mechanism>", "take one mechanism away: the drill must find it").choices(sabotageNames),
  )
  .option("--json <file>", "the report as JSON")
  .option("--list", "tell the kinds of faults")
  .addHelpText("after", "\nExit status: 0 nothing lost or doubled, 1 something was, 2 wrong usage.")
  .showHelpAfterError("(--help tells more)")
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
program.action(async (flags: Flags & { readonly list?: boolean }) => {
  if (flags.list === true) say(faultKinds.map(({ name }) => name).join("\n"));
  else await drill(flags);
});
program
  .command("overload")
  .description("offers ten times what a narrow link to the broker carries, and watches the gateway")
  .option("--seconds <number>", "for how long", wholeNumber, 60)
  .action(async ({ seconds }: { readonly seconds: number }) => overload(seconds));
await program.parseAsync();

function interruption(): AbortController {
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      say("stopping after what is under way");
      interrupted.abort(new Error(`interrupted by ${signal}`));
    });
  }
  return interrupted;
}

async function overload(seconds: number): Promise<void> {
  const { signal } = interruption();
  const { directory } = await claimDirectory(join(root, ".tally"), "chaos", say);
  const report = await runOverload({ root, directory, domains, seconds, seed: 1, say, signal });
  say(JSON.stringify(report, undefined, 2));
  const { audit, agrees, failed } = report;
  process.exitCode = agrees && audit.lost === 0 && audit.doubled === 0 && failed === 0 ? 0 : 1;
}

async function drill(flags: Flags): Promise<void> {
  const interrupted = interruption();
  const chosen = named("--domain", domains, flags.domain);
  const kinds = named("--kinds", faultKinds, flags.kinds);
  say(`seed ${flags.seed}`);
  const { directory, release } = await claimDirectory(join(root, ".tally"), "chaos", say);
  try {
    const report = await runDrill({
      root,
      directory,
      domains: chosen,
      seed: flags.seed,
      faults: flags.faults,
      kinds,
      eventsPerSecond: flags.rate,
      warmUpSeconds: flags.warmUp,
      spread: flags.wide === true ? "wide" : "narrow",
      pileUp: flags.pileUp === true,
      sabotage: flags.sabotage,
      say,
      onFault(outcome, number) {
        if (number === 1) say(tableHead);
        say(tableRow(outcome, number));
      },
      signal: interrupted.signal,
    });
    if (flags.json !== undefined) await writeFile(flags.json, `${JSON.stringify(report, undefined, 2)}\n`);
    say(verdictOf(report));
    process.exitCode = isGood(report) ? 0 : 1;
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    say("interrupted: nothing was audited");
    process.exitCode = 1;
  } finally {
    release();
  }
}

function named<T extends { readonly name: string }>(
  flag: string,
  all: readonly T[],
  names: readonly string[] | undefined,
): readonly T[] {
  if (names === undefined) return all;
  const unknown = names.find((name) => !all.some((one) => one.name === name));
  if (unknown !== undefined) {
    program.error(`${flag}: there is no "${unknown}" among ${all.map(({ name }) => name).join(", ")}`);
  }
  return all.filter(({ name }) => names.includes(name));
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError("expected a whole number from 1 on");
  return value;
}
