import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SingleBar } from "cli-progress";
import { domains } from "@tally/domains";
import { onLauncherGone } from "@tally/local";
import { Command, Option } from "commander";
import type { BenchPlan } from "./bench-plan.ts";
import { comparison, contenderNamed, ratiosOf, turns, type Run } from "./compare-designs.ts";
import { designNames, durabilityNames, type DesignName, type Durability } from "./designs/designs.ts";
import { number, setting, share, wholeNumber } from "./flag-values.ts";
import type { Phase } from "./load/load-plan.ts";
import { domainNamed } from "./open-stack.ts";
import { pageOf } from "./page/page.ts";
import { printedBeside, printedHead } from "./printed-beside.ts";
import { ratios } from "./ratios.ts";
import { isGood, type Report } from "./report.ts";
import { runBench } from "./run-bench.ts";
import { csvOf, keepReport, readReport, writeJson } from "./stored-reports.ts";
import { textOf } from "./text-of.ts";
import { WrongUsage } from "./wrong-usage.ts";

const root = join(import.meta.dirname, "..", "..");
const say = (line: string): void => void process.stdout.write(`${line}\n`);

interface Flags {
  readonly domain: string;
  readonly connections: number;
  readonly duration: number;
  readonly amount?: number;
  readonly warmUp: number;
  readonly rate?: number;
  readonly mix: number;
  readonly zipf?: boolean;
  readonly contentBytes?: number;
  readonly seed: number;
  readonly gateways: number;
  readonly clientThreads: number;
  readonly design: DesignName;
  readonly durability: Durability;
  readonly target?: string;
  readonly set: readonly string[];
  readonly source?: string;
  readonly scale: number;
  readonly json?: string;
  readonly html?: string;
  readonly csv?: string;
  readonly compare?: string;
  readonly results: string;
}

const program = new Command("bench")
  .description("puts load on a fresh tally of its own, measures every tier, waits until it has drained, and audits it")
  .option("--domain <name>", "whose events", "purchases")
  .option("--connections <number>", "exactly so many are opened", wholeNumber, 512)
  .option("--duration <seconds>", "of the measured load", number, 30)
  .option("--amount <number>", "so many requests instead of a time", wholeNumber)
  .option("--warm-up <seconds>", "before it, not counted; none with --amount or --source", number, 10)
  .option("--rate <number>", "open model: so many requests a second, answered or not", number)
  .option("--mix <share>", "share of GETs of rankings, 0 to 1", share, 0)
  .option("--content-bytes <number>", "of each event's content, where it has any, like a picture", wholeNumber)
  .option("--zipf", "some stores and items sell much more than others, instead of all alike")
  .option("--seed <number>", "the same seed sends the same requests", wholeNumber, 1)
  .option("--gateways <number>", "processes of the gateway", wholeNumber, 1)
  .option("--client-threads <number>", "threads that send", wholeNumber, 1)
  .addOption(new Option("--design <name>", "one idea taken away").choices(designNames).default("batched"))
  .addOption(new Option("--durability <name>", "what a 2xx means").choices(durabilityNames).default("confirmed"))
  .option("--target <url>", "a system that runs somewhere, instead of one of its own")
  .option("--set <NAME=value>", "a setting of the apps; may be repeated", setting, [])
  .option("--source <name>", "the load of a source document, S0 to S4, beside what it printed")
  .option("--scale <share>", "of a source's requests", share, 1)
  .option(
    "--json <file>",
    "the report as JSON; of compare all reports and their ratios, of a source all reports and its table",
  )
  .option("--html <file>", "the report as a page, besides the stored one")
  .option("--csv <file>", "the figures of each second")
  .option("--compare <file>", "ratios against a stored report")
  .option("--results <folder>", "where every run is stored", join(root, "bench", "results"))
  .addHelpText("after", "\nExit status: 0 nothing lost, 1 something was lost or doubled, 2 wrong usage.")
  .showHelpAfterError("(--help tells more)")
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
program.action(bench);
program
  .command("compare")
  .description("runs designs by turns, one order and then the other, and tells their ratios")
  .argument("<designs...>", `${designNames.join(", ")}; with :persistent or :transient behind for another durability`)
  .option("--rounds <number>", "runs of each", wholeNumber, 2)
  .action(async (names: readonly string[], { rounds }: { readonly rounds: number }) =>
    compare(names, rounds, program.opts()),
  );
await program.parseAsync();

async function bench(flags: Flags): Promise<void> {
  if (flags.source !== undefined) return benchSource(flags.source, flags);
  refuse(["scale"], "goes with --source");
  if (flags.amount !== undefined) refuse(["warmUp", "duration"], "does not go with --amount");
  const before = flags.compare === undefined ? undefined : await storedReport(flags.compare);
  return orTell(async (signal) => {
    const report = await runBench(planOf(flags, signal));
    say(`\n${textOf(report)}`);
    if (before !== undefined) say(`\n${ratios(report, before)}`);
    say(`\nstored as ${await keepReport(report, flags.results)}`);
    if (flags.json !== undefined) await writeJson(flags.json, report);
    if (flags.csv !== undefined) await writeFile(flags.csv, csvOf(report));
    if (flags.html !== undefined) await writeFile(flags.html, await pageOf(report));
    process.exitCode = isGood(report) ? 0 : 1;
  });
}

/** Every run of a source, each on a fresh stack, and the table of what was printed beside what is measured here. */
async function benchSource(name: string, flags: Flags): Promise<void> {
  refuse(["csv", "html", "compare", "amount", "rate"], "goes with one run; those of a source are stored");
  refuse(
    ["domain", "connections", "duration", "warmUp", "mix", "contentBytes", "zipf", "clientThreads"],
    "is not asked for: the source says it",
  );
  const domain = domains.find(({ workload }) => workload.source?.name === name);
  if (domain?.workload.source === undefined) {
    const known = domains.flatMap(({ workload }) => workload.source?.name ?? []).join(", ");
    return program.error(`--source: expected one of ${known}, whose domains are built; got ${name}`);
  }
  const { runs } = domain.workload.source;
  return orTell(async (signal) => {
    const rows: string[] = [];
    const reports: Report[] = [];
    for (const [run, { says, groups, printed }] of runs.entries()) {
      say(`\n${name}, ${says}`);
      const connections = groups(flags.scale).reduce((sum, group) => sum + group.connections, 0);
      const plan = planOf({ ...flags, domain: domain.name, connections, clientThreads: 1 }, signal);
      const report = await runBench({ ...plan, phase: { model: "source", run, scale: flags.scale } });
      say(`\n${textOf(report)}\n\nstored as ${await keepReport(report, flags.results)}`);
      rows.push(...printedBeside(says, printed, report));
      reports.push(report);
      if (!isGood(report)) process.exitCode = 1;
    }
    say(`\n${printedHead}\n${rows.join("\n")}`);
    if (flags.json !== undefined) {
      await writeJson(flags.json, { source: name, scale: flags.scale, table: [printedHead, ...rows], runs: reports });
    }
  });
}

async function compare(names: readonly string[], rounds: number, flags: Flags): Promise<void> {
  refuse(
    ["csv", "html", "compare"],
    "goes with one run; all runs of a comparison are stored, and --json has their ratios",
  );
  refuse(["design", "durability"], "is what compare is about: name the designs behind it");
  refuse(["target", "source", "scale"], "does not go with compare, which starts a system for each design");
  await orTell(async (signal) => {
    const contenders = names.map(contenderNamed);
    const runs: Run[] = [];
    for (const contender of turns(contenders, rounds)) {
      say(`\n${contender.name}, run ${runs.length + 1} of ${contenders.length * rounds}`);
      const { design, durability } = contender;
      const report = await runBench({ ...planOf({ ...flags, design, durability }, signal), say: () => undefined });
      say(textOf(report));
      await keepReport(report, flags.results);
      runs.push({ contender: contender.name, report });
    }
    say(`\n${comparison(contenders, runs)}`);
    if (flags.json !== undefined) await writeJson(flags.json, { ratios: ratiosOf(contenders, runs), runs });
    process.exitCode = runs.every(({ report }) => isGood(report)) ? 0 : 1;
  });
}

/** Ends with a line when one of these flags was given: it would be ignored. */
function refuse(flags: readonly (keyof Flags)[], why: string): void {
  const given = flags.find((flag) => program.getOptionValueSource(flag) === "cli");
  if (given !== undefined) program.error(`--${given.replace(/[A-Z]/g, (one) => `-${one.toLowerCase()}`)} ${why}`);
}

/** What a user did wrong, or an interruption, is told in a line. */
async function orTell(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const { signal } = interruption();
  try {
    await work(signal);
  } catch (error) {
    if (signal.aborted) {
      say("interrupted; its servers are stopped");
      process.exit(130);
    }
    if (!(error instanceof WrongUsage)) throw error;
    say(error.message);
    process.exitCode = 2;
  }
}

function planOf(flags: Flags, signal: AbortSignal): BenchPlan {
  return {
    root,
    domain: checkedDomain(flags.domain),
    connections: flags.connections,
    seed: flags.seed,
    spread: flags.zipf === true ? "zipf" : "wide",
    readShare: flags.mix,
    contentBytes: flags.contentBytes,
    answerWithinMs: 10_000,
    design: flags.design,
    durability: flags.durability,
    gateways: flags.gateways,
    clientThreads: flags.clientThreads,
    warmUpSeconds: flags.amount === undefined ? flags.warmUp : 0,
    phase: phaseOf(flags),
    settings: Object.fromEntries(flags.set.map((text) => text.split(/=(.*)/s, 2))),
    target: flags.target?.replace(/\/+$/, ""),
    say,
    ...progress(flags),
    signal,
  };
}

function phaseOf({ amount, duration, rate, connections, clientThreads, gateways }: Flags): Phase {
  if (amount !== undefined && amount < connections)
    program.error("--amount: expected at least one for each connection");
  if (rate === 0) program.error("--rate: expected more than 0");
  for (const [name, parts] of [["--client-threads", clientThreads] as const, ["--gateways", gateways] as const])
    if (parts > connections) program.error(`${name}: expected at most one for each of the ${connections} connections`);
  const until =
    amount === undefined ? ({ name: "seconds", seconds: duration } as const) : ({ name: "amount", amount } as const);
  return rate === undefined ? { model: "closed", until } : { model: "open", until, perSecond: rate };
}

function progress({ duration, amount }: Flags) {
  const bar = new SingleBar({
    format: "{bar} {percentage} % | {done} answered",
    clearOnComplete: true,
    hideCursor: null,
  });
  const total = amount ?? duration;
  let begun = false;
  return {
    onProgress({ seconds, done }: { readonly seconds: number; readonly done: number }): void {
      if (!process.stderr.isTTY) return;
      if (!begun) bar.start(total, 0, { done });
      begun = true;
      bar.update(Math.min(total, amount === undefined ? seconds : done), { done });
    },
    onLoadEnded: () => void (begun && bar.stop()),
  };
}

async function storedReport(file: string): Promise<Report> {
  try {
    return await readReport(file);
  } catch (error) {
    return program.error(`--compare: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function checkedDomain(name: string): string {
  try {
    return domainNamed(name).name;
  } catch (error) {
    return program.error(`--domain: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function interruption(): AbortController {
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    // Every time: a second Ctrl-C must not leave servers behind.
    process.on(signal, () => interrupted.abort(new Error(`interrupted by ${signal}`)));
  onLauncherGone(() => interrupted.abort(new Error("interrupted: what has started it is gone")));
  return interrupted;
}
