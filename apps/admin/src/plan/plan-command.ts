import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { CommandError } from "../exit-for-fault.ts";
import { planFor, tiers, type Demand, type MeasuredRun, type Plan } from "./plan.ts";

interface Flags {
  readonly stores: number;
  readonly perHour: number;
  readonly peak: number;
  readonly utilization: number;
  readonly run?: string;
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
    .option("--run <file>", "a report of pnpm bench; the newest stored one without it")
    .option("--json", "as JSON")
    .action(async (flags: Flags) => {
      const run = await readRun(flags.run ?? (await newestRun())).catch((error: unknown) =>
        Promise.reject(new CommandError(`--run: ${error instanceof Error ? error.message : String(error)}`, 2)),
      );
      const demand: Demand = { ...flags, eventsPerHour: flags.perHour };
      const plan = planFor(demand, run);
      process.stdout.write(
        flags.json === true ? `${JSON.stringify({ demand, plan })}\n` : `${textOf(demand, run, plan)}\n`,
      );
    });
}

function textOf({ stores, eventsPerHour, peak, utilization }: Demand, run: MeasuredRun, plan: Plan): string {
  const lines = plan.tiers.map(
    ({ tier, usPerEvent, cores, instance, count, why }) =>
      `${tier.padEnd(10)}${`${usPerEvent} µs`.padStart(10)} × ${plan.peakPerSecond.toFixed(0)}/s = ${cores.toFixed(3)} cores, / ${utilization} = ${(cores / utilization).toFixed(3)}` +
      `  →  ${count} × ${instance}  (${why})`,
  );
  return [
    `${stores} stores × ${eventsPerHour} events an hour / 3600 s = ${plan.meanPerSecond.toFixed(1)} events/s, × ${peak} at the peak = ${plan.peakPerSecond.toFixed(1)}/s`,
    `measured: run ${run.runId}, ${run.at}, ${run.design}, ${run.accepted.perSecond} events/s on ${run.machine}`,
    "",
    ...lines,
    "",
    "A core there counts as much as one of the measured machine: measure on the instances themselves before you buy many.",
  ].join("\n");
}

async function newestRun(): Promise<string> {
  const files = await readdir(results).catch(() => []);
  const newest = files
    .filter((file) => file.endsWith("-batched.json"))
    .toSorted()
    .at(-1);
  if (newest === undefined) throw new Error("there is no stored run; pnpm bench makes one, or name a file");
  return join(results, newest);
}

async function readRun(file: string): Promise<MeasuredRun> {
  const run: MeasuredRun = JSON.parse(await readFile(file, "utf8"));
  for (const tier of tiers)
    if (typeof run.cpuUsPerEvent?.[tier] !== "number" || run.cpuUsPerEvent[tier] <= 0)
      throw new Error(`${file}: cpuUsPerEvent.${tier}: expected a number above 0`);
  return run;
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
