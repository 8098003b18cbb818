import { join } from "node:path";
import { numberFlag } from "@tally/runtime/flag-values";
import { Command, Option } from "commander";
import { usageError, withExitCodes } from "../command.ts";
import { domainNamed, jsonFlag, print, type JsonFlag } from "../flags.ts";
import { costOfShards, planFor, type Demand, type Plan } from "./plan.ts";
import { readdir, readFile } from "node:fs/promises";
import { firstProblem } from "@tally/contract";
import { reasonOf } from "@tally/runtime";
import { Type, type Static } from "typebox";
import { Compile } from "typebox/compile";

interface Flags extends JsonFlag {
  readonly stores: number;
  readonly perHour: number;
  readonly peak: number;
  readonly utilization: number;
  readonly domain: string;
  readonly run?: string;
  readonly results: string;
}

const results = join(import.meta.dirname, "..", "..", "..", "..", "bench", "results");

const positive = numberFlag("a number above 0", (value) => value > 0 && value < Number.POSITIVE_INFINITY);
const share = numberFlag("a number above 0 up to 1", (value) => value > 0 && value <= 1);

/** tally plan */
export function planCommand(): Command {
  const command = new Command("plan")
    .description("calculates the EC2 instances that each tier needs, from a run of pnpm bench")
    .requiredOption("--stores <number>", "stores that send events", positive)
    .requiredOption("--per-hour <number>", "events of one store in an hour, on average", positive)
    .option("--peak <times>", "load of the busiest moment, as a multiple of the mean", positive, 3)
    .option("--utilization <share>", "share of the cores in use at that moment, above 0 up to 1", share, 0.6)
    .option("--domain <name>", "the domain of the events", "purchases")
    .option("--run <file>", `a report of pnpm bench (default: the newest stored one that fits: it has ${fitRun})`)
    .addOption(
      new Option("--results <folder>", "where pnpm bench stores its runs; used without --run")
        .default(results)
        .conflicts("run"),
    )
    .addOption(jsonFlag)
    .action(async (flags: Flags) => {
      const chosen = await chosenRun(flags);
      const demand: Demand = { ...flags, eventsPerHour: flags.perHour };
      const plan = planFor(demand, chosen.run);
      const { file, passedOver } = chosen;
      print(flags, { demand, plan, run: file, passedOver }, `${textOf(demand, chosen, plan)}\n`);
    });
  return withExitCodes(command, {});
}

async function chosenRun({ run: file, results: folder, domain }: Flags): Promise<Chosen> {
  domainNamed(domain);
  if (file !== undefined) {
    const read = await readRun(file, domain);
    if ("run" in read) return { ...read, passedOver: [] };
    throw usageError(`--run: ${file}: ${read.unfit}`);
  }
  const chosen = await chooseRun(folder, domain);
  if ("run" in chosen) return chosen;
  const ofDomain = domain === "purchases" ? "" : ` --domain ${domain}`;
  const lines = [
    `no run in ${folder} is fit for a plan. A fit run has ${fitRun}.`,
    `  pnpm bench --connections 512 --duration 30${ofDomain} makes one; or name a file with --run`,
  ];
  throw usageError([...lines, ...passedOverLines(chosen)].join("\n"));
}

function textOf({ stores, eventsPerHour, peak, utilization }: Demand, chosen: Chosen, plan: Plan): string {
  const { run, file } = chosen;
  const { meanPerSecond, shards, tiers } = plan;
  const atPeak = figure(plan.peakPerSecond);
  const events = `${stores} stores × ${eventsPerHour} events an hour`;
  return [
    `${events} / 3600 s = ${figure(meanPerSecond)} events/s, × ${peak} at the peak = ${atPeak}/s`,
    `measured: run ${run.runId}, ${run.at}, ${run.domain}, ${run.accepted.perSecond} events/s on ${run.machine}`,
    `  chosen: ${file}`,
    ...passedOverLines(chosen),
    "",
    ...tiers.map(
      ({ tier, usPerEvent, cores, coresNeeded, sum, instance, count, why }) =>
        `${tier.padEnd(10)}${figure(usPerEvent)} µs × ${atPeak}/s = ${figure(cores)} cores, ` +
        `/ ${utilization} = ${figure(coresNeeded)}, ${sum} = ${count} × ${instance}  (${why})`,
    ),
    "",
    `The cost of an event was measured at full load, with ${run.connections} busy connections, on ${run.machine}, which ran all tiers and the clients.`,
    "At a lower rate an event costs more, because batches are smaller. But a tier then uses at most 0.2 of a core more than at full load.",
    `This plan uses ${utilization} of the cores at the peak: --utilization ${figure(utilization / 2)} leaves room for twice the load.`,
    ...shardLines(shards),
    "It assumes that a core there does as much as one of the measured machine: measure on the instances themselves before you buy many.",
  ].join("\n");
}

function shardLines(shards: number): readonly string[] {
  if (shards === 1) return [];
  const times = (tier: TierName): string => costOfShards(tier, shards).toFixed(1);
  return [
    `With ${shards} shards an event costs Redis ${times("redis")} times as much as with one, rankers ${times("ranker")}, writers ${times("writer")}. That is included.`,
  ];
}

function passedOverLines({ passedOver }: Pick<Chosen, "passedOver">): readonly string[] {
  return passedOver.map(({ file, unfit }) => `  skipped ${file}: ${unfit}`);
}

/** Rounded to 6 significant digits, so that printed calculations can be checked by hand. */
function figure(value: number): string {
  return String(Number(value.toPrecision(6)));
}

const eventsMin = 10_000;
const connectionsMin = 64;

const us = Type.Number({ exclusiveMinimum: 0, expected: "more than 0 µs" });
const literal = <T extends string | number | boolean>(value: T) => Type.Literal(value, { expected: String(value) });

/** The part of a bench report that has an event's cost: own system, production settings, full load, nothing lost. */
const fitRunOf = (domain: string) =>
  Type.Object(
    {
      runId: Type.String(),
      /** ISO 8601. */
      at: Type.String(),
      machine: Type.String(),
      /** The URL of a system that was running already: the CPU time of its tiers is unknown. */
      target: Type.Null({ expected: "none" }),
      domain: literal(domain),
      design: literal("batched"),
      durability: literal("confirmed"),
      model: literal("closed"),
      /** Share of GETs, 0 to 1. */
      readShare: literal(0),
      // The workloads of some domains read each event again: then a request does not cost what an event costs.
      reads: Type.Object({ requests: literal(0) }),
      // With fewer connections cores are idle at times, so the cost per event is higher and the load unknown.
      connections: Type.Number({ minimum: connectionsMin, expected: `at least ${connectionsMin}` }),
      /** Those that --set has changed; a plan knows what the number of shards costs. */
      settings: Type.Object(
        { RANKING_SHARDS: Type.Optional(Type.String()) },
        { additionalProperties: false, expected: "unchanged settings" },
      ),
      audit: Type.Object({ lost: literal(0), doubled: literal(0) }, { expected: "an audit" }),
      /** Whether rows and rankings agree. */
      agrees: literal(true),
      ranked: Type.Object({ perSecond: Type.Number({ expected: "all accepted events" }) }),
      accepted: Type.Object({
        // Fewer do not average out the start.
        events: Type.Number({ minimum: eventsMin, expected: `at least ${eventsMin}` }),
        perSecond: Type.Number(),
      }),
      /** CPU time of all processes of a tier for each event, in µs. */
      cpuUsPerEvent: Type.Object({ gateway: us, writer: us, ranker: us, broker: us, database: us, redis: us }),
    },
    { expected: "a report of pnpm bench" },
  );

export type FitRun = Static<ReturnType<typeof fitRunOf>>;
export type TierName = keyof FitRun["cpuUsPerEvent"];

const fitRun =
  `a fresh system (no --target), the design batched, confirmed durability, the closed model, no reads, ` +
  `unchanged settings, at least ${connectionsMin} connections, at least ${eventsMin} accepted events, and an audit ` +
  `without differences`;

interface UnfitFile {
  readonly file: string;
  readonly unfit: string;
}

interface Chosen {
  readonly file: string;
  readonly run: FitRun;
  /** Newer runs that are unfit. */
  readonly passedOver: readonly UnfitFile[];
}

/** The newest run that is fit for a domain's plan. `passedOver` has the reason for each newer one. */
async function chooseRun(
  folder: string,
  domain: string,
): Promise<Chosen | { readonly passedOver: Chosen["passedOver"] }> {
  const files = await readdir(folder).catch(() => []);
  const passedOver: UnfitFile[] = [];
  // Their names begin with the time of the run.
  const oldestFirst = files.filter((name) => name.endsWith(".json")).toSorted();
  for (const file of oldestFirst.toReversed()) {
    const read = await readRun(join(folder, file), domain);
    if ("run" in read) return { ...read, passedOver };
    passedOver.push(read);
  }
  return { passedOver };
}

async function readRun(file: string, domain: string): Promise<Pick<Chosen, "file" | "run"> | UnfitFile> {
  const schema = Compile(fitRunOf(domain));
  try {
    const run: unknown = JSON.parse(await readFile(file, "utf8"));
    return schema.Check(run) ? { file, run } : { file, unfit: firstProblem(schema, run).message };
  } catch (error) {
    return { file, unfit: reasonOf(error) };
  }
}
