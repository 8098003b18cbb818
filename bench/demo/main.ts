import { randomInt } from "node:crypto";
import { createTallyClient } from "@tally/client";
import { utcDayOf } from "@tally/contract";
import { reasonOf, readConfigOrExit, secret } from "@tally/runtime";
import { numberFlag, origin, wholeNumber, wholeNumberTo } from "@tally/runtime/flag-values";
import { StatusLine } from "@tally/runtime/status-line";
import { Command, InvalidArgumentError, Option } from "commander";
import { interruption } from "../kit/index.ts";
import { clockOf, instantOf, newestDate, zones } from "./chain.ts";
import { DayPlayer, type GatewayAddress } from "./day-player.ts";
import { registerNames } from "./names.ts";
import { planDay } from "./plan-day.ts";
import { checkRanked, isGoodDay, progressOf, summaryOf } from "./summary.ts";

interface Flags {
  readonly url: string;
  readonly speed: number;
  readonly stores: number;
  readonly purchases: number;
  /** yyyymmdd. */
  readonly day: number;
  readonly seed: number;
  readonly checkWithin: number;
}

const storesMax = 300;
const seedMax = 1_000_000;

const positive = numberFlag("a number above 0", (value) => value > 0 && Number.isFinite(value));

const utc = { utcOffsetHours: 0 };
const flags: Flags = new Command("demo")
  .description(
    `plays a trading day of a chain in ${zones.length} time zones into a running tally, and checks at the end that ` +
      "every acknowledged purchase is stored and ranked",
  )
  .addOption(
    new Option("--url <url>", "the gateway").env("TALLY_URL").default("http://127.0.0.1:8080").argParser(origin),
  )
  .option("--speed <times>", "how much faster than real time; a day takes 144 s at 600", positive, 600)
  .option("--stores <number>", "stores in each time zone", wholeNumberTo(storesMax), 4)
  .option("--purchases <number>", "purchases of the day: 14,400 at speed 600 are 100 a second", wholeNumber, 14_400)
  .option(
    "--day <yyyymmdd>",
    "the business date on which the day begins, at 6:00 in the first zone",
    dateFlag,
    newestDate(),
  )
  .option(
    "--seed <number>",
    "the same seed, with the same other flags, sends the same purchases with the same keys",
    wholeNumber,
    randomInt(1, seedMax),
  )
  .option("--check-within <seconds>", "how long the check at the end waits for the last ranking", positive, 60)
  .showHelpAfterError("(see --help)")
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
  .addHelpText(
    "after",
    `
One store goes offline in the evening, keeps its purchases, and sends them in bulk with their keys when it is back.
Ctrl-C ends the day early: what was begun is sent, checked and summed up.

Exit status: 0 every acknowledged purchase is stored and ranked once, 1 one is not or was rejected, 2 wrong usage or no
gateway, 130 interrupted twice.`,
  )
  .parse()
  .opts();
// The variable that `pnpm tally` uses too.
const { apiKey } = readConfigOrExit({
  apiKey: secret("TALLY_API_KEY", "the API key that the demo sends", { default: "" }),
});
const gateway: GatewayAddress = { url: flags.url, apiKey: apiKey === "" ? undefined : apiKey };
const status = new StatusLine(process.stdout);
const say = (line: string): void => status.say(line);
const everyMs = status.isLive ? 250 : 5000;

const problem = await problemAt(gateway);
if (problem !== undefined) {
  process.stderr.write(
    `demo: ${gateway.url} ${problem}\n` +
      "Start a tally with `pnpm dev` in another terminal, or name a running one with --url.\n",
  );
  process.exit(2);
}
const interrupted = interruption(() =>
  say("interrupted: sends what was begun, then checks it; Ctrl-C again ends at once"),
);
process.exit((await playDay(interrupted)) ? 0 : 1);

/** Plays the day and prints its summary; whether every acknowledged purchase is stored and ranked once. */
async function playDay(signal: AbortSignal): Promise<boolean> {
  const { url, speed, seed, purchases } = flags;
  const plan = planDay({ seed, date: flags.day, storesPerZone: flags.stores, purchases });
  const [first] = zones;
  say(
    `${purchases.toLocaleString("en")} purchases of ${plan.stores.length} stores into ${url}, ` +
      `${speed} times real time, seed ${seed}; begins ${clockOf(plan.startsAtMs, first)} in the ${first.name}`,
  );
  const unnamed = await registerNames(gateway, plan);
  if (unnamed !== undefined) say(`  without names of stores and items, so prices need CURRENCY: ${unnamed}`);
  const startedAt = performance.now();
  const player = new DayPlayer({ plan, gateway, speed, say: (line) => say(`  ${line}`), signal });
  let shown = 0;
  const timer = setInterval(() => {
    const perSecond = Math.round((player.ids.size - shown) / (everyMs / 1000));
    shown = player.ids.size;
    status.show(`  ${progressOf(plan, player, perSecond)}`);
  }, everyMs);
  await player.run();
  clearInterval(timer);
  const seconds = (performance.now() - startedAt) / 1000;
  const acknowledged = new Set([...player.ids, ...player.corrections]);
  let shownAt = performance.now();
  const check = await checkRanked(gateway, acknowledged, flags.checkWithin * 1000, (ranked) => {
    if (performance.now() - shownAt < everyMs) return;
    shownAt = performance.now();
    status.show(`  checking: ${ranked} of ${acknowledged.size} stored and ranked`);
  });
  const played = { plan, player, seconds, check };
  say(summaryOf(played));
  return isGoodDay(played);
}

/** Undefined: a gateway responds there and accepts the API key. */
async function problemAt({ url, apiKey: key }: GatewayAddress): Promise<string | undefined> {
  try {
    const client = createTallyClient({ baseUrl: url, apiKey: key, retry: { attemptsMax: 1, attemptMs: 10_000 } });
    const { response, error } = await client.GET("/items/store/{storeID}", { params: { path: { storeID: "1" } } });
    if (response.status === 401)
      return key === undefined
        ? "requires an API key: TALLY_API_KEY, with the scopes *:read, *:write and purchases:operate"
        : "rejects the API key";
    return response.ok ? undefined : `responds with ${response.status}: ${JSON.stringify(error).slice(0, 200)}`;
  } catch (error) {
    return `does not respond: ${reasonOf(error instanceof Error ? error.cause : error)}`;
  }
}

function dateFlag(text: string): number {
  const date = Number(text);
  // The gateway rejects business dates before the year 1000 and after tomorrow. A day that does not exist becomes another
  // one.
  const isReal = /^[1-9]\d{7}$/.test(text) && utcDayOf(instantOf(date, 0, utc)) === date;
  if (isReal && date <= newestDate()) return date;
  throw new InvalidArgumentError("expected a date as yyyymmdd, at most today's in the western zone");
}
