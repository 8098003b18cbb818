import { round } from "./latency.ts";
import type { Seen } from "./make-report.ts";
import type { Report } from "./report.ts";
import { eachTier } from "./watch/tiers.ts";

/** CPU time of all tiers and the client until everything was ranked. Waiting after that is no work for events. */
export function cpuOf(
  { observations, drained, clientCpuSeconds: client }: Seen,
  events: number,
): Pick<Report, "cpuSeconds" | "cpuUsPerEvent"> {
  const seconds = (used: number): number => round(used, 3);
  const each = (used: number): number | null => (events === 0 ? null : round((used * 1e6) / events, 1));
  const first = observations[0];
  const last = observations.find(({ at }) => at >= (drained?.ranked?.at ?? Infinity)) ?? observations.at(-1);
  if (first === undefined || last === undefined) {
    const unknown = { ...eachTier(() => null), total: null };
    return { cpuSeconds: { ...unknown, client: seconds(client) }, cpuUsPerEvent: { ...unknown, client: each(client) } };
  }
  const used = eachTier((tier) => last.tiers[tier].cpuSeconds - first.tiers[tier].cpuSeconds);
  const total = Object.values(used).reduce((sum, one) => sum + one, 0);
  return {
    cpuSeconds: { ...eachTier((tier) => seconds(used[tier])), client: seconds(client), total: seconds(total) },
    cpuUsPerEvent: { ...eachTier((tier) => each(used[tier])), client: each(client), total: each(total) },
  };
}
