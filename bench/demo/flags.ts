import { numberFlag, origin, wholeNumber } from "@tally/runtime/flag-values";
import { Command, InvalidArgumentError, Option } from "commander";
import { zones } from "./day/chain.ts";
import { businessDate } from "./day/local-time.ts";

/** As commander parses them. */
export interface Flags {
  readonly url: string;
  readonly key?: string;
  readonly speed: number;
  readonly stores: number;
  readonly purchases?: number;
  readonly rate?: number;
  /** yyyymmdd. */
  readonly day: number;
  readonly seed?: number;
  readonly purchasesOnly?: boolean;
  readonly loop?: boolean;
  readonly checkWithin: number;
}

const purchasesDefault = 14_400;
const secondsOfDay = 86_400;
const storesMax = 300;

const positive = numberFlag("a number above 0", (value) => value > 0 && Number.isFinite(value));
const stores = numberFlag(
  `a whole number from 1 to ${storesMax}`,
  (value) => Number.isInteger(value) && value >= 1 && value <= storesMax,
);

/** The command with all flags. */
export function demoCommand(): Command {
  return new Command("demo")
    .description(
      `plays a trading day of a chain in ${zones.length} time zones into a running tally, and checks at the end that every acknowledged purchase is stored and ranked`,
    )
    .addOption(
      new Option("--url <url>", "the gateway").env("TALLY_URL").default("http://127.0.0.1:8080").argParser(origin),
    )
    .option("--key <key>", "the API key, with the scopes *:read and *:write (default: TALLY_API_KEY)")
    .option("--speed <times>", "how much faster than real time; a day takes 144 s at 600", positive, 600)
    .option("--stores <number>", "stores in each time zone", stores, 4)
    .addOption(
      new Option("--purchases <number>", `purchases of the day (default: ${purchasesDefault})`)
        .argParser(wholeNumber)
        .conflicts("rate"),
    )
    .addOption(
      new Option("--rate <number>", "purchases a second on average, in real time, instead of --purchases").argParser(
        positive,
      ),
    )
    .option(
      "--day <yyyymmdd>",
      "the business date on which the day begins, at 6:00 in the first zone",
      dateFlag,
      today(),
    )
    .option(
      "--seed <number>",
      "the same seed, with the same other flags, sends the same purchases with the same keys (default: another one each time)",
      wholeNumber,
    )
    .option("--purchases-only", "without lift rides, steps, swipes, albums and reviews")
    .option("--check-within <seconds>", "how long the check at the end waits for the last ranking", positive, 60)
    .option("--loop", "play the next day after each day, until Ctrl-C")
    .showHelpAfterError("(see --help)")
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
    .addHelpText(
      "after",
      `
One store goes offline in the evening, keeps its purchases, and sends them in bulk with their keys when it is back.
Ctrl-C ends the day early: what was begun is sent, checked and summed up.

Exit status: 0 every acknowledged purchase is stored and ranked once, 1 one is not or was rejected, 2 wrong usage or no gateway,
130 interrupted twice.`,
    );
}

/** How many purchases a day has: as many as asked, or as follow from the rate. */
export function purchasesOf({ purchases, rate, speed }: Flags): number {
  if (rate === undefined) return purchases ?? purchasesDefault;
  return Math.max(1, Math.round((rate * secondsOfDay) / speed));
}

function dateFlag(text: string): number {
  const date = Number(text);
  const [year, month, day] = [Math.floor(date / 10_000), Math.floor(date / 100) % 100, date % 100];
  // Business dates before the year 1000 are rejected by the gateway. A day that does not exist becomes another one.
  const isDate = /^\d{8}$/.test(text) && year >= 1000 && businessDate(Date.UTC(year, month - 1, day), utc) === date;
  if (!isDate) throw new InvalidArgumentError("expected a date as yyyymmdd");
  return date;
}

const utc = { utcOffsetHours: 0 };

/** By this machine's clock. */
function today(): number {
  const now = new Date();
  return now.getFullYear() * 10_000 + (now.getMonth() + 1) * 100 + now.getDate();
}
