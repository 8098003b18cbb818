import { join } from "node:path";
import { number, wholeNumber } from "@tally/runtime/flag-values";
import type { ServicesSource } from "@tally/local";
import { list, servicesOption, setting, share, type NamedValue } from "../../kit/index.ts";
import { InvalidArgumentError, Option, type Command } from "commander";
import { designNames, designOf, meaningOf } from "../designs/designs.ts";

/** The checkout under test. */
export const root = join(import.meta.dirname, "..", "..", "..");

export const say = (line: string): void => void process.stdout.write(`${line}\n`);

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
  readonly priced?: boolean;
  readonly seed: number;
  readonly clientThreads: number;
  readonly gateways: number;
  readonly set: readonly NamedValue[];
  readonly services?: ServicesSource;
}

export interface OutputFlags {
  readonly results: string;
  readonly json?: string;
}

/** Whole numbers from 1 on, separated by commas, as texts. */
function wholeNumbers(text: string): readonly string[] {
  return list(text).map((one) => {
    if (!/^[1-9]\d{0,14}$/.test(one))
      throw new InvalidArgumentError("expected whole numbers from 1 on, separated by commas");
    return one;
  });
}

export const seedOption = (): Option =>
  new Option("--seed <number>", "the same seed sends the same requests, with the same --client-threads")
    .argParser(wholeNumber)
    .default(1);

export function withLoad(command: Command, { isSweep = false } = {}): Command {
  return command
    .option("--domain <name>", "the domain whose events are sent", "purchases")
    .addOption(
      isSweep
        ? new Option("--connections <list>", "numbers of connections").argParser(wholeNumbers).default(["512"])
        : new Option("--connections <number>", "number of connections").argParser(wholeNumber).default(512),
    )
    .option("--duration <seconds>", "length of the measured load", number, 30)
    .option("--warm-up <seconds>", "load before the measured one, not counted; none with --amount", number, 10)
    .addOption(
      new Option("--amount <number>", "number of requests, instead of --duration")
        .argParser(wholeNumber)
        .conflicts(["duration", "warmUp"]),
    )
    .option("--fill <number>", "POSTs before the warm-up, which are stored and ranked but not counted", wholeNumber)
    .option("--rate <number>", "open model: requests a second, whether earlier ones have responses or not", number)
    .option("--mix <share>", "share of GETs of rankings, 0 to 1", share, 0)
    .option(
      "--content-bytes <number>",
      "size of each event's content, such as a picture, in domains that have one",
      wholeNumber,
    )
    .option("--priced", "prices on all lines of purchases, and discounts on some (default: none)")
    .option("--zipf", "skewed keys: a few stores and items get most sales (default: equal)")
    .addOption(seedOption())
    .option("--client-threads <number>", "threads that send requests", wholeNumber, 1)
    .option("--gateways <number>", "gateway processes", wholeNumber, 1)
    .addOption(servicesOption())
    .option(
      "--set <NAME=value>",
      `setting of the apps; may be repeated${isSweep ? "; several values: NAME=a,b,c" : ""}`,
      setting,
      [],
    );
}

export function withDesigns(command: Command): Command {
  const width = Math.max(...designNames.map((name) => name.length));
  const lines = designNames.map(
    (name) => `  ${name.padEnd(width)}  ${designOf(name).description}. 2xx: ${meaningOf(name, "confirmed")}`,
  );
  return command
    .argument(
      "<designs...>",
      "append :persistent or :transient for another durability; batched@<commit> for the tally of another commit",
    )
    .addHelpText("after", `\nDesigns, and what a 2xx means in each:\n${lines.join("\n")}`);
}

export function withOutput(command: Command): Command {
  return command
    .option("--json <file>", "write the reports as JSON")
    .option("--results <folder>", "folder where every run is stored", join(root, "bench", "results"))
    .addHelpText(
      "after",
      "\nExit status: 0 nothing lost; 1 something was lost, doubled or too slow; 2 wrong usage, or a server did not start.",
    );
}
