import type { Seen } from "./make-report.ts";
import type { Report } from "./report.ts";
import { round } from "./round.ts";
import { eachTier } from "./watch/tiers.ts";
import { cpuBetween } from "./watch/watch.ts";

/** What all tiers and the client have used. Until everything was ranked: what is waited beyond that is no work of the events. */
export function cpuOf(
  { looks, drained, clientCpuSeconds: client }: Seen,
  events: number,
): Pick<Report, "cpuSeconds" | "cpuUsPerEvent"> {
  const seconds = (used: number): number => round(used, 3);
  const each = (used: number): number | null => (events === 0 ? null : round((used * 1e6) / events, 1));
  const first = looks[0];
  const last = looks.find(({ at }) => at >= (drained?.ranked?.at ?? Infinity)) ?? looks.at(-1);
  if (first === undefined || last === undefined) {
    const unknown = { ...eachTier(() => null), total: null };
    return { cpuSeconds: { ...unknown, client: seconds(client) }, cpuUsPerEvent: { ...unknown, client: each(client) } };
  }
  const used = cpuBetween(first, last);
  const total = Object.values(used).reduce((sum, one) => sum + one, 0);
  return {
    cpuSeconds: { ...eachTier((tier) => seconds(used[tier])), client: seconds(client), total: seconds(total) },
    cpuUsPerEvent: { ...eachTier((tier) => each(used[tier])), client: each(client), total: each(total) },
  };
}
