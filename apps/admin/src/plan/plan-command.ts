import { join } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { CommandError } from "../exit-for-fault.ts";
import { chooseRun, readRun, type Chosen } from "./choose-run.ts";
import { domainsNamed } from "../open-system.ts";
import { figure, planFor, type Demand, type Plan } from "./plan.ts";

interface Flags {
  readonly stores: number;
  readonly perHour: number;
  readonly peak: number;
  readonly utilization: number;
  readonly domain: string;
  readonly run?: string;
  readonly results: string;
  readonly json?: boolean;
}

const results = join(import.meta.dirname, "..", "..", "..", "..", "bench", "results");

export function planCommand(): Command {
  return new Command("plan")
    .description("how many of which EC2 instances each tier needs, from what a run of pnpm bench has measured")
    .requiredOption("--stores <number>", "that send events", positive)
    .requiredOption("--per-hour <number>", "events of one store in an hour, in the mean", positive)
    .option("--peak <times>", "how many times the mean the busiest moment is", positive, 3)
    .option("--utilization <share>", "of the cores at that moment, above 0 up to 1", share, 0.6)
    .option("--domain <name>", "whose events", "purchases")
    .option(
      "--run <file>",
      "a report of pnpm bench; without it the newest stored one that is fit: of our own stack as it is, closed model, no reads, audited",
    )
    .addOption(
      new Option("--results <folder>", "where pnpm bench has stored its runs, when no --run is named")
        .default(results)
        .conflicts("run"),
    )
    .option("--json", "as JSON")
    .action(async (flags: Flags) => {
      const chosen = await chosenRun(flags);
      const demand: Demand = { ...flags, eventsPerHour: flags.perHour };
      const plan = planFor(demand, chosen.run);
      process.stdout.write(
        flags.json === true
          ? `${JSON.stringify({ demand, plan, run: chosen.file, passedOver: chosen.passedOver })}\n`
          : `${textOf(demand, chosen, plan)}\n`,
      );
    });
}

function textOf({ stores, eventsPerHour, peak, utilization }: Demand, chosen: Chosen, plan: Plan): string {
  const { run, file } = chosen;
  const atPeak = figure(plan.peakPerSecond);
  const lines = plan.tiers.map(
    ({ tier, usPerEvent, cores, sum, instance, count, why }) =>
      `${tier.padEnd(10)}${usPerEvent} µs × ${atPeak}/s = ${figure(cores)} cores, ${sum} = ${count} × ${instance}  (${why})`,
  );
  return [
    `${stores} stores × ${eventsPerHour} events an hour / 3600 s = ${figure(plan.meanPerSecond)} events/s, × ${peak} at the peak = ${atPeak}/s`,
    `measured: run ${run.runId}, ${run.at}, ${run.domain}, ${run.accepted.perSecond} events/s on ${run.machine}`,
    `  chosen: ${file}`,
    ...passedOverLines(chosen),
    "",
    ...lines,
    "",
    `The cost of an event was measured at full load, ${run.connections} connections that always ask, on ${run.machine}, which carried all tiers and the`,
    "clients. Batches are largest then, so an event costs least: with half the load or less it has cost up to twice as much (docs/performance.md).",
    `What is planned here is less than full load, ${utilization} of the cores: --utilization ${figure(utilization / 2)} leaves room for twice the cost.`,
    "A core there counts as much as one of the measured machine: measure on the instances themselves before you buy many.",
  ].join("\n");
}

async function chosenRun({ run: file, results: folder, domain }: Flags): Promise<Chosen> {
  domainsNamed([domain]);
  if (file !== undefined) {
    const read = await readRun(file, domain);
    if ("run" in read) return { ...read, passedOver: [] };
    throw new CommandError(`--run: ${file}: ${read.unfit}`, 2);
  }
  const chosen = await chooseRun(folder, domain);
  if ("run" in chosen) return chosen;
  const lines = [`no run in ${folder} is fit to plan with; pnpm bench makes one, or name a file with --run`];
  throw new CommandError([...lines, ...passedOverLines(chosen)].join("\n"), 2);
}

function passedOverLines({ passedOver }: Pick<Chosen, "passedOver">): readonly string[] {
  return passedOver.map(({ file, unfit }) => `  passed over ${file}: ${unfit}`);
}

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError("expected a number above 0");
  return value;
}

function share(text: string): number {
  const value = positive(text);
  if (value > 1) throw new InvalidArgumentError("expected a number up to 1");
  return value;
}
