import type { StatusLine } from "@tally/runtime/status-line";
import { zones } from "./day/chain.ts";
import { clockOf } from "./day/local-time.ts";
import type { DayPlan } from "./day/plan-day.ts";
import type { DayPlayer } from "./play/day-player.ts";
import type { Sender } from "./play/sender.ts";

const liveEveryMs = 250;
const linesEveryMs = 5000;
const rateOverMs = 2000;

/** Shows the clock and the figures while a day is played: in one line on a terminal, elsewhere in a line every 5 s. Returns its end. */
export function showProgress(
  status: StatusLine,
  plan: DayPlan,
  player: Pick<DayPlayer, "nowMs" | "record" | "keeping">,
  sender: Pick<Sender, "retried" | "underWay">,
): () => void {
  const seen: { readonly atMs: number; readonly acknowledged: number }[] = [];
  const timer = setInterval(
    () => {
      const acknowledged = player.record.ids.size;
      const now = { atMs: performance.now(), acknowledged };
      seen.push(now);
      while (seen.length > 2 && now.atMs - (seen[1]?.atMs ?? now.atMs) >= rateOverMs) seen.shift();
      status.show(`  ${progressOf(plan, player, sender, perSecond(seen[0] ?? now, now))}`);
    },
    status.isLive ? liveEveryMs : linesEveryMs,
  );
  return () => {
    clearInterval(timer);
    status.clear();
  };
}

function perSecond(
  before: { readonly atMs: number; readonly acknowledged: number },
  now: { readonly atMs: number; readonly acknowledged: number },
): number {
  const seconds = (now.atMs - before.atMs) / 1000;
  return seconds === 0 ? 0 : Math.round((now.acknowledged - before.acknowledged) / seconds);
}

const manyUnderWay = 50;

/** The most important parts first: a narrow terminal cuts the others off. */
function progressOf(
  { outage, startsAtMs, endsAtMs }: DayPlan,
  { nowMs, record, keeping }: Pick<DayPlayer, "nowMs" | "record" | "keeping">,
  { retried, underWay }: Pick<Sender, "retried" | "underWay">,
  rate: number,
): string {
  const clocks = zones.map((zone) => `${clockOf(nowMs, zone).slice(-5)} ${zone.name}`);
  const parts = [
    clocks.join(", "),
    `${rate}/s`,
    keeping === undefined ? undefined : `store ${outage.store.id} offline, keeps ${keeping}`,
    underWay < manyUnderWay ? undefined : `${underWay} waiting`,
    `${record.ids.size} acknowledged`,
    `${retried} retried`,
    `${Math.floor(((nowMs - startsAtMs) / (endsAtMs - startsAtMs)) * 100)} %`,
  ];
  return parts.filter((part) => part !== undefined).join(" | ");
}
