import type { RankedCheck } from "./check-ranked.ts";
import { zones } from "./day/chain.ts";
import { clockOf } from "./day/local-time.ts";
import type { DayPlan } from "./day/plan-day.ts";
import type { DayPlayer } from "./play/day-player.ts";
import type { Sender } from "./play/sender.ts";

/** What is said of a day that was played, to its end or until it was interrupted. */
export interface PlayedDay {
  readonly plan: DayPlan;
  readonly player: Pick<DayPlayer, "record" | "unacknowledged" | "nowMs">;
  readonly sender: Pick<Sender, "retried" | "refusals">;
  readonly seconds: number;
  readonly check: RankedCheck;
}

const bestCount = 5;
const missingShown = 5;

/** Whether every acknowledged purchase is stored and ranked once, and none was rejected. */
export function isGoodDay({ player, sender, check }: PlayedDay): boolean {
  return check.missing.length === 0 && player.record.otherIds === 0 && sender.refusals.count === 0;
}

export function summaryOf(day: PlayedDay): string {
  const { plan, player, sender, seconds, check } = day;
  const { record, unacknowledged } = player;
  const [first] = zones;
  const { kept } = record;
  const lines = [
    `Played ${clockOf(plan.startsAtMs, first)} to ${clockOf(player.nowMs, first)} in the ${first.name}, ${plan.stores.length} stores, in ${seconds.toFixed(0)} s`,
    `  acknowledged  ${count(record.ids.size)} purchases, ${sender.retried} requests sent again${record.others > 0 ? `; ${count(record.others)} events of other domains` : ""}`,
    kept.sent === 0
      ? undefined
      : `  kept          ${count(kept.sent)} purchases of store ${plan.outage.store.id} while it was offline; ${kept.knownBefore} had arrived before, and kept their ids`,
    unacknowledged === 0 ? undefined : `  unknown       ${count(unacknowledged)} purchases without a 2xx`,
    sender.refusals.count === 0
      ? undefined
      : `  rejected      ${count(sender.refusals.count)} requests; the first: ${sender.refusals.first}`,
    record.otherIds === 0 ? undefined : `  doubled       ${count(record.otherIds)} retries got another id`,
    `  check         ${count(check.ranked)} of ${count(record.ids.size)} acknowledged purchases are stored and ranked`,
    ...check.missing.slice(0, missingShown).map((id) => `                missing: ${id}`),
    ...zones.map(
      ({ name }) =>
        `  best items    ${name.padEnd(8)}${bestIn(record, name)}  (${count(record.purchasesOf(name))} purchases)`,
    ),
  ];
  return lines.filter((line) => line !== undefined).join("\n");
}

function bestIn(record: DayPlayer["record"], zone: string): string {
  const best = record.bestOf(zone, bestCount);
  return best.length === 0 ? "none" : best.map(([item, quantity]) => `${item} × ${quantity}`).join(", ");
}

const count = (value: number): string => value.toLocaleString("en");
