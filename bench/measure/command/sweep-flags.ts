import { number, share, wholeNumber } from "@tally/runtime/flag-values";
import type { Command } from "commander";
import type { SweptSettings } from "../sweep/dimensions.ts";
import { wholeNumbers, withFlags, type Flags } from "./flags.ts";

/** The flags of a sweep, as commander parses them. */
export interface SweepFlags extends Omit<Flags, "connections" | "gateways">, SweptSettings {
  /** A number where it stands before the word `sweep`. */
  readonly connections: readonly string[] | number;
  readonly gateways: readonly string[] | number;
  readonly rounds: number;
  readonly withinP99?: number;
  readonly within: number;
  readonly resume?: string;
}

/** Adds all flags of a sweep to its command. */
export function withSweepFlags(command: Command): Command {
  return withFlags(command, "lists")
    .option("--writer-threads <list>", "values of WRITER_THREADS: each thread has its own consumers", wholeNumbers)
    .option("--prefetch <list>", "values of WRITER_PREFETCH", wholeNumbers)
    .option("--batch-events <list>", "values of BATCH_EVENTS_MAX", wholeNumbers)
    .option("--transaction-every <list>", "values of WRITER_TRANSACTION_EVERY_MS", wholeNumbers)
    .option("--shards <list>", "values of RANKING_SHARDS", wholeNumbers)
    .option("--rounds <number>", "runs with each value", wholeNumber, 3)
    .option("--within-p99 <ms>", "name the best setting whose p99 is at most this", number)
    .option(
      "--within <share>",
      "--within-p99: settings within this share of the highest throughput count as equal, and the smallest is chosen",
      share,
      0.1,
    )
    .option("--resume <folder>", "go on with a sweep that was interrupted; --rounds may be higher than before")
    .addHelpText("after", "\nOne or two flags have several values, such as --connections 32,64,128.");
}
