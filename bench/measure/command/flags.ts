import { join } from "node:path";
import { list, number, origin, setting, share, wholeNumber } from "@tally/runtime/flag-values";
import { InvalidArgumentError, Option, type Command } from "commander";
import {
  designNames,
  designOf,
  durabilityNames,
  meaningOf,
  type DesignName,
  type Durability,
} from "../designs/designs.ts";

/** The checkout under test. */
export const root = join(import.meta.dirname, "..", "..", "..");

/** As commander parses them. */
export interface Flags {
  readonly domain: string;
  readonly connections: number;
  readonly duration: number;
  readonly amount?: number;
  readonly fill?: number;
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
  readonly cdfCsv?: string;
  readonly requestsCsv?: string;
  readonly compare?: string;
  readonly failBelow?: number;
  readonly results: string;
}

/** Whole numbers from 0 on, separated by commas, as texts. */
export function wholeNumbers(text: string): readonly string[] {
  return list(text).map((one) => {
    if (!/^\d{1,15}$/.test(one)) throw new InvalidArgumentError("expected whole numbers, separated by commas");
    return String(Number(one));
  });
}

/** Adds all flags to a command, with their descriptions and defaults. For a sweep some have a list of values. */
export function withFlags(command: Command, values: "single" | "lists" = "single"): Command {
  const counted = (name: string, description: string, value: number): Option =>
    values === "lists"
      ? new Option(`${name} <list>`, `${description}; several, separated by commas`)
          .argParser(wholeNumbers)
          .default([String(value)])
      : new Option(`${name} <number>`, description).argParser(wholeNumber).default(value);
  return command
    .option("--domain <name>", "the domain whose events are sent", "purchases")
    .addOption(counted("--connections", "number of connections", 512))
    .option("--duration <seconds>", "length of the measured load", number, 30)
    .option("--amount <number>", "number of requests, instead of --duration", wholeNumber)
    .option("--fill <number>", "POSTs before the warm-up, which are stored and ranked but not counted", wholeNumber)
    .option(
      "--warm-up <seconds>",
      "load before the measured one, not counted; none with --amount or --source",
      number,
      10,
    )
    .option("--rate <number>", "open model: requests a second, whether earlier ones have responses or not", number)
    .option("--mix <share>", "share of GETs of rankings, 0 to 1", share, 0)
    .option(
      "--content-bytes <number>",
      "size of each event's content, such as a picture, in domains that have one",
      wholeNumber,
    )
    .option("--zipf", "skewed keys: a few stores and items get most sales (default: equal)")
    .option("--seed <number>", "the same seed sends the same requests, with the same --client-threads", wholeNumber, 1)
    .addOption(counted("--gateways", "gateway processes", 1))
    .option("--client-threads <number>", "threads that send requests", wholeNumber, 1)
    .addOption(
      new Option("--design <name>", "variant of tally with one idea taken away")
        .choices(designNames)
        .default("batched"),
    )
    .addOption(new Option("--durability <name>", "what a 2xx means").choices(durabilityNames).default("confirmed"))
    .option("--target <url>", "measure a running system instead of starting one", origin)
    .option("--set <NAME=value>", "setting of the apps; may be repeated; sweep: NAME=a,b,c", setting, [])
    .option("--source <name>", "the load of a source document, S0 to S4, compared with its printed figures")
    .option("--scale <share>", "share of a source's requests", share, 1)
    .option(
      "--json <file>",
      "write the report as JSON; compare: all reports and ratios, --source: all reports and the table",
    )
    .option("--html <file>", "write the report as a page, in addition to the stored one")
    .option("--csv <file>", "write the figures of each second")
    .option("--cdf-csv <file>", "write the cumulative distribution of the latencies, by method")
    .option("--requests-csv <file>", "write a line for each request: start, method, latency, status")
    .option("--compare <file>", "print ratios to a stored report; sweep: to the result of an earlier sweep")
    .option(
      "--fail-below <share>",
      "exit with 1 when the throughput is below this share of that of --compare; compare: of every other design",
      number,
    )
    .option("--results <folder>", "folder where every run is stored", join(root, "bench", "results"))
    .addHelpText("after", () => `\nDesigns, and what a 2xx means in each:\n${designLines()}`)
    .addHelpText(
      "after",
      "\nExit status: 0 nothing lost, 1 something was lost or doubled or is slower than --fail-below allows, 2 wrong usage, servers did not start, a file could not be written, or lines of --requests-csv were left out.",
    );
}

function designLines(): string {
  const width = Math.max(...designNames.map((name) => name.length));
  return designNames
    .map((name) => `  ${name.padEnd(width)}  ${designOf(name).description}. 2xx: ${meaningOf(name, "confirmed")}`)
    .join("\n");
}
