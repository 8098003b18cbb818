import { until } from "@tally/local";
import { eventState } from "../kit/index.ts";
import { clockOf, zones } from "./chain.ts";
import type { DayPlayer, GatewayAddress } from "./day-player.ts";
import type { DayPlan } from "./plan-day.ts";

/** A day that was played, to its end or until it was interrupted. */
interface PlayedDay {
  readonly plan: DayPlan;
  readonly player: DayPlayer;
  readonly seconds: number;
  readonly check: Awaited<ReturnType<typeof checkRanked>>;
}

const missingShown = 5;
const manyWaiting = 50;

const count = (value: number): string => value.toLocaleString("en");

/** The state while a day is played. The most important parts come first: a narrow terminal cuts the others off. */
export function progressOf({ outage, startsAtMs, endsAtMs }: DayPlan, player: DayPlayer, perSecond: number): string {
  const { nowMs, keeping, unacknowledged } = player;
  const waiting = unacknowledged - (keeping ?? 0);
  return [
    zones.map((zone) => `${clockOf(nowMs, zone).slice(-5)} ${zone.name}`).join(", "),
    `${perSecond}/s`,
    ...(keeping === undefined ? [] : [`store ${outage.store.id} offline, keeps ${keeping}`]),
    ...(waiting < manyWaiting ? [] : [`${waiting} waiting`]),
    `${player.ids.size} acknowledged`,
    `${player.retried} retried`,
    `${Math.floor(((nowMs - startsAtMs) / (endsAtMs - startsAtMs)) * 100)} %`,
  ].join(" | ");
}

/** Whether every acknowledged purchase and correction is stored and ranked once, and none was rejected. */
export function isGoodDay({ player: { kept, rejected }, check }: PlayedDay): boolean {
  return check.missing.length === 0 && kept.otherIds === 0 && rejected.count === 0;
}

export function summaryOf({ plan, player, seconds, check }: PlayedDay): string {
  const [first] = zones;
  const { ids, corrections, others, retried, kept, rejected, unacknowledged } = player;
  const from = clockOf(plan.startsAtMs, first);
  const endedAt = clockOf(player.nowMs, first);
  const row = (name: string, text: string): string => `  ${name.padEnd(14)}${text}`;
  return [
    `Played ${from} to ${endedAt} in the ${first.name}, ${plan.stores.length} stores, in ${seconds.toFixed(0)} s`,
    row(
      "acknowledged",
      `${count(ids.size)} purchases, ${retried} requests sent again; ${count(others)} events of other domains`,
    ),
    row(
      "kept",
      `${count(kept.sent)} purchases of store ${plan.outage.store.id} while it was offline; ` +
        `${kept.knownBefore} had arrived before, and kept their ids`,
    ),
    ...(unacknowledged === 0 ? [] : [row("unknown", `${count(unacknowledged)} purchases without a 2xx`)]),
    ...(rejected.count === 0 ? [] : [row("rejected", `${count(rejected.count)}; the first: ${rejected.first}`)]),
    ...(kept.otherIds === 0 ? [] : [row("doubled", `${count(kept.otherIds)} retries got another id`)]),
    row("taken back", `${count(corrections.size)} voids and refunds`),
    row(
      "check",
      `${count(check.ranked)} of ${count(ids.size + corrections.size)} acknowledged events are stored and ranked`,
    ),
    ...check.missing.slice(0, missingShown).map((id) => row("", `missing: ${id}`)),
  ].join("\n");
}

const lanes = 32;
const attemptMs = 10_000;

/** Asks the gateway where each event is, until all are ranked or `withinMs` is over, by a GET for each event.
 * `missing`: those that are not stored, or not ranked. */
export async function checkRanked(
  { url, apiKey }: GatewayAddress,
  ids: ReadonlySet<string>,
  withinMs: number,
  onProgress: (ranked: number) => void,
) {
  const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const endsAt = performance.now() + withinMs;
  const isRanked = async (id: string): Promise<boolean> => {
    // Without a response it is asked again.
    const state = await eventState(url, id, attemptMs, headers).catch(() => undefined);
    return state !== undefined && state.stored && state.ranked;
  };
  let ranked = 0;
  const missing: string[] = [];
  const waiting = ids.values();
  const lane = async (): Promise<void> => {
    for (const id of waiting) {
      const isFound = await until(() => isRanked(id), { withinMs: endsAt - performance.now(), everyMs: 200 });
      if (isFound) onProgress(++ranked);
      else missing.push(id);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { ranked, missing };
}
