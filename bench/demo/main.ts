import { randomInt } from "node:crypto";
import { createTallyClient } from "@tally/client";
import { reasonOf, readConfigOrExit, secret } from "@tally/runtime";
import { StatusLine } from "@tally/runtime/status-line";
import { checkRanked } from "./check-ranked.ts";
import { clockOf } from "./day/local-time.ts";
import { planOthers } from "./day/other-events.ts";
import { nextDate, planDay, type DayOptions } from "./day/plan-day.ts";
import { zones } from "./day/chain.ts";
import { demoCommand, purchasesOf, type Flags } from "./flags.ts";
import { DayPlayer } from "./play/day-player.ts";
import { Sender, type GatewayAddress } from "./play/sender.ts";
import { showProgress } from "./show-progress.ts";
import { isGoodDay, summaryOf } from "./summary.ts";

/* `pnpm demo`. */

const flags: Flags = demoCommand().parse().opts();
// The variable that `pnpm tally` uses too.
const { apiKey: keyOfEnvironment } = readConfigOrExit({
  apiKey: secret("TALLY_API_KEY", "the API key that the demo sends", { default: "" }),
});
const apiKey = flags.key ?? keyOfEnvironment;
const gateway: GatewayAddress = { url: flags.url, apiKey: apiKey === "" ? undefined : apiKey };
const status = new StatusLine(process.stdout);
const say = (line: string): void => status.say(line);

const seedMax = 1_000_000;
const checkLiveEveryMs = 250;
const checkLinesEveryMs = 2000;

const interrupted = new AbortController();
// A Ctrl-C can arrive twice: from the terminal, and from pnpm, which hands it on.
const sameInterruptMs = 1000;
let interruptedAt = Infinity;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => {
    if (performance.now() - interruptedAt > sameInterruptMs) process.exit(130);
    if (interrupted.signal.aborted) return;
    interruptedAt = performance.now();
    interrupted.abort();
    say("interrupted: sends what was begun, then checks it; Ctrl-C again ends at once");
  });

await expectTally(gateway);
const options: DayOptions = {
  seed: flags.seed ?? randomInt(1, seedMax),
  date: flags.day,
  storesPerZone: flags.stores,
  purchases: purchasesOf(flags),
};
let isGood = true;
for (let { date } = options; ; date = nextDate(date)) {
  isGood = (await playDay({ ...options, date })) && isGood;
  if (flags.loop !== true || interrupted.signal.aborted) break;
}
process.exit(isGood ? 0 : 1);

/** Plays one day and prints its summary. Resolves with whether every acknowledged purchase is stored and ranked once. */
async function playDay(day: DayOptions): Promise<boolean> {
  const { url, speed } = flags;
  const plan = planDay(day);
  const others = flags.purchasesOnly === true ? [] : planOthers(plan, day);
  say(
    `${day.purchases.toLocaleString("en")} purchases of ${plan.stores.length} stores into ${url}, ${speed} times real time, seed ${day.seed}; ` +
      `begins ${clockOf(plan.startsAtMs, zones[0])} in the ${zones[0].name}`,
  );
  const sender = new Sender(gateway);
  const startedAt = performance.now();
  const player = new DayPlayer({
    plan,
    others,
    speed,
    sender,
    say: (line) => say(`  ${line}`),
    signal: interrupted.signal,
  });
  const endProgress = showProgress(status, plan, player, sender);
  await player.run();
  endProgress();
  const playedAt = performance.now();
  const { ids } = player.record;
  let shownAt = playedAt;
  const check = await checkRanked(gateway, ids, flags.checkWithin * 1000, (ranked) => {
    if (performance.now() - shownAt < (status.isLive ? checkLiveEveryMs : checkLinesEveryMs)) return;
    shownAt = performance.now();
    status.show(`  checking: ${ranked} of ${ids.size} stored and ranked`);
  });
  const played = {
    plan,
    player,
    sender,
    check,
    seconds: (playedAt - startedAt) / 1000,
  };
  say(summaryOf(played));
  return isGoodDay(played);
}

/** Ends the process with status 2 unless a gateway responds there and takes the API key. */
async function expectTally(at: GatewayAddress): Promise<void> {
  const problem = await problemAt(at);
  if (problem === undefined) return;
  process.stderr.write(
    `demo: ${at.url} ${problem}\nStart a tally with \`pnpm dev\` in another terminal, or name a running one with --url.\n`,
  );
  process.exit(2);
}

async function problemAt({ url, apiKey: key }: GatewayAddress): Promise<string | undefined> {
  try {
    const client = createTallyClient({ baseUrl: url, apiKey: key, retry: { attemptsMax: 1, attemptMs: 10_000 } });
    const { response, error } = await client.GET("/items/store/{storeID}", { params: { path: { storeID: "1" } } });
    if (response.status === 401)
      return key === undefined
        ? "requires an API key: --key, or TALLY_API_KEY; with the scopes *:read and *:write"
        : "rejects the API key";
    return response.ok ? undefined : `responds with ${response.status}: ${JSON.stringify(error).slice(0, 200)}`;
  } catch (error) {
    return `does not respond: ${reasonOf(error instanceof Error ? error.cause : error)}`;
  }
}
