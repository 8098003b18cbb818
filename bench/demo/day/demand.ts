import type { Zone } from "./chain.ts";
import { localMinute, minuteMs } from "./local-time.ts";

const minutesOfDay = 1440;

interface Peak {
  readonly hour: number;
  readonly height: number;
  readonly widthHours: number;
}

// Relative to the evening peak.
const night = 0.05;
const open = 0.3;
const openFrom = 7;
const openUntil = 22;
const peaks: readonly Peak[] = [
  { hour: 10, height: 0.6, widthHours: 1.1 },
  { hour: 18, height: 1, widthHours: 1.5 },
];

/** How much a store sells at a minute of its local day, relative to other minutes. */
function demandAt(minute: number): number {
  const hour = minute / 60;
  const base = hour >= openFrom && hour < openUntil ? open : night;
  return peaks.reduce(
    (sum, peak) => sum + peak.height * Math.exp(-(((hour - peak.hour) / peak.widthHours) ** 2) / 2),
    base,
  );
}

/** The share of a store's purchases that it has sold after each minute of the 24 hours from `startsAtMs`: 1,441 numbers from 0 to 1. */
export function soldShares(zone: Zone, startsAtMs: number): Float64Array {
  const shares = new Float64Array(minutesOfDay + 1);
  for (let minute = 0; minute < minutesOfDay; minute++)
    shares[minute + 1] = (shares[minute] ?? 0) + demandAt(localMinute(startsAtMs + minute * minuteMs, zone));
  const sum = shares[minutesOfDay] ?? 1;
  return shares.map((share) => share / sum);
}
