import { join } from "node:path";
import { number, origin, setting, share, wholeNumber } from "@tally/lab";
import { Option, type Command } from "commander";
import { designNames, durabilityNames, type DesignName, type Durability } from "../designs/designs.ts";
import { root } from "../root.ts";

/** As commander hands them over. */
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
  readonly compare?: string;
  readonly results: string;
}

/** Adds all flags to a command, with their meaning and what they are when nobody asks. */
export function withFlags(command: Command): Command {
  return command
    .option("--domain <name>", "whose events", "purchases")
    .option("--connections <number>", "exactly so many are opened", wholeNumber, 512)
    .option("--duration <seconds>", "of the measured load", number, 30)
    .option("--amount <number>", "so many requests instead of a time", wholeNumber)
    .option("--fill <number>", "so many POSTs before the warm-up, stored and ranked, not counted", wholeNumber)
    .option("--warm-up <seconds>", "before it, not counted; none with --amount or --source", number, 10)
    .option("--rate <number>", "open model: so many requests a second, answered or not", number)
    .option("--mix <share>", "share of GETs of rankings, 0 to 1", share, 0)
    .option("--content-bytes <number>", "of each event's content, where it has any, like a picture", wholeNumber)
    .option("--zipf", "some stores and items sell much more than others, instead of all alike")
    .option("--seed <number>", "the same seed sends the same requests, from as many --client-threads", wholeNumber, 1)
    .option("--gateways <number>", "processes of the gateway", wholeNumber, 1)
    .option("--client-threads <number>", "threads that send", wholeNumber, 1)
    .addOption(new Option("--design <name>", "one idea taken away").choices(designNames).default("batched"))
    .addOption(new Option("--durability <name>", "what a 2xx means").choices(durabilityNames).default("confirmed"))
    .option("--target <url>", "a system that runs somewhere, instead of one of its own", origin)
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
    .addHelpText(
      "after",
      "\nExit status: 0 nothing lost, 1 something was lost or doubled, 2 wrong usage, servers did not start, or a file could not be written.",
    );
}
