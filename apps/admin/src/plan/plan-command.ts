import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { firstProblem } from "@tally/contract";
import { reasonOf } from "@tally/runtime";
import { numberFlag } from "@tally/runtime/flag-values";
import type { Command } from "commander";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { usageError, newCommand } from "../command.ts";
import { domainNamed, jsonFlag, print, type JsonFlag } from "../flags.ts";
import { planFor, type Demand } from "./plan.ts";

const positive = numberFlag("a number above 0", (value) => value > 0 && Number.isFinite(value));
const share = numberFlag("a number above 0 up to 1", (value) => value > 0 && value <= 1);

/** tally plan. `results` has the stored runs. */
export function planCommand(results = join(import.meta.dirname, "../../../../bench/results")): Command {
  return newCommand("plan", {})
    .description("calculates the EC2 instances that each tier needs, from a run of pnpm bench")
    .requiredOption("--stores <number>", "stores that send events", positive)
    .requiredOption("--per-hour <number>", "events of one store in an hour, on average", positive)
    .option("--peak <times>", "load of the busiest moment, as a multiple of the mean", positive, 3)
    .option("--utilization <share>", "share of the cores in use at that moment, above 0 up to 1", share, 0.6)
    .option("--domain <name>", "the domain of the events", "purchases")
    .option("--run <file>", "a report of pnpm bench (default: the newest one in bench/results that fits)")
    .addOption(jsonFlag)
    .action(async (flags: Demand & JsonFlag & { readonly domain: string; readonly run?: string }) => {
      const { domain, run: file, json, ...demand } = flags;
      const fit = await fitRun(file, results, domainNamed(domain).name);
      const plan = planFor(demand, fit.run.cpuUsPerEvent);
      print({ json }, { demand, run: fit.path, ...plan }, textOf(demand, fit, plan));
    });
}

const us = Type.Number({ exclusiveMinimum: 0, expected: "more than 0 µs" });
const only = <T extends string | number | boolean>(value: T) => Type.Literal(value, { expected: String(value) });
const atLeast = (minimum: number) => Type.Number({ minimum, expected: `at least ${minimum}` });

/** What a plan reads of a bench report, with the values that make it fit. */
const fitRunOf = (domain: string) =>
  Type.Object(
    {
      at: Type.String(),
      machine: Type.String(),
      domain: only(domain),
      design: only("batched"),
      durability: only("confirmed"),
      // At a given rate, or with few connections, batches are smaller, and an event costs more.
      model: only("closed"),
      connections: atLeast(64),
      // A GET counts as an event in the costs.
      reads: Type.Object({ requests: only(0) }),
      settings: Type.Object({}, { additionalProperties: false }),
      audit: Type.Object({ lost: only(0), doubled: only(0) }, { expected: "an audit" }),
      agrees: only(true),
      // With fewer the start of the load counts too much.
      accepted: Type.Object({ events: atLeast(10_000), perSecond: Type.Number() }),
      disturbance: Type.Object({ isDisturbed: Type.Boolean() }),
      cpuUsPerEvent: Type.Object({ gateway: us, writer: us, ranker: us, broker: us, database: us, redis: us }),
    },
    { expected: "a report of pnpm bench" },
  );

/** A file, or the newest fit one of a folder, where names begin with the time. Throws a CommandError with the reason
 * why the first one read is unfit. */
async function fitRun(file: string | undefined, folder: string, domain: string) {
  const schema = Compile(fitRunOf(domain));
  const stored = (await readdir(folder).catch(() => [])).toSorted((a, b) => b.localeCompare(a));
  const unfit: string[] = [];
  for (const path of file === undefined ? stored.map((name) => join(folder, name)) : [file]) {
    const run = await readFile(path, "utf8")
      .then((text): unknown => JSON.parse(text))
      .catch(reasonOf);
    if (schema.Check(run)) return { path, run };
    unfit.push(`${path}: ${firstProblem(schema, run).message}`);
  }
  const hint = `pnpm bench --domain ${domain} makes a run that fits, unless its load has GETs`;
  throw usageError(`--run: ${unfit[0] ?? "there is no run"}; ${hint}`);
}

type Fit = Awaited<ReturnType<typeof fitRun>>;
function textOf(demand: Demand, { path, run }: Fit, { shards, tiers, ...plan }: ReturnType<typeof planFor>): string {
  const [mean, atPeak] = [`${figure(plan.meanPerSecond)}/s`, `${figure(plan.peakPerSecond)}/s`];
  const lines = [
    `${demand.stores} stores × ${demand.perHour} events/h / 3600 s = ${mean}, × ${demand.peak} at the peak = ${atPeak}`,
    `measured: ${path}`,
    `  ${run.at}, ${run.domain}, ${run.accepted.perSecond}/s, ${run.connections} connections, ${run.machine}`,
    ...(run.disturbance.isDisturbed ? ["  Other work disturbed that run: undisturbed, an event costs less."] : []),
    "A core of an instance is taken to do as much as one of that machine: measure there before you buy many.",
    "",
    ...tiers.map(
      ({ tier, usPerEvent, cores, coresNeeded, sum, instance, count }) =>
        `${tier.padEnd(8)} ${figure(usPerEvent)} µs × ${atPeak} = ${figure(cores)} cores, ` +
        `/ ${demand.utilization} = ${figure(coresNeeded)}, ${sum} = ${count} × ${instance}`,
    ),
    ...(shards === 1 ? [] : [`         with the costs of ${shards} shards: pnpm tally rebuild --shards ${shards}`]),
  ];
  return `${lines.join("\n")}\n`;
}

/** Rounded to 6 significant digits, so that printed calculations can be checked by hand. */
const figure = (value: number): string => String(Number(value.toPrecision(6)));
