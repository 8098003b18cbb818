import { readdirSync, readFileSync } from "node:fs";

export const tierNames = ["gateway", "writer", "ranker", "broker", "database", "redis"] as const;
export type TierName = (typeof tierNames)[number];

/** A figure of each tier. */
export type OfTiers<T> = Readonly<Record<TierName, T>>;

export function eachTier<T>(of: (tier: TierName) => T): OfTiers<T> {
  return {
    gateway: of("gateway"),
    writer: of("writer"),
    ranker: of("ranker"),
    broker: of("broker"),
    database: of("database"),
    redis: of("redis"),
  };
}

/** CPU seconds so far and resident memory in MiB of a tier's processes. */
export interface TierFigures {
  readonly cpuSeconds: number;
  readonly memoryMiB: number;
}

// USER_HZ, the same on all Linux systems that there are.
const ticksPerSecond = 100;
const pageBytes = 4096;

/** Reads what Linux knows of all processes. `groups`: the leaders of process groups, by tier. Costs some ms. */
export function readTiers(groups: ReadonlyMap<TierName, readonly number[]>): ReadonlyMap<TierName, TierFigures> {
  const tierOf = new Map([...groups].flatMap(([tier, leaders]) => leaders.map((pid) => [pid, tier] as const)));
  const figures = new Map<TierName, { cpuSeconds: number; memoryMiB: number }>(
    tierNames.map((tier) => [tier, { cpuSeconds: 0, memoryMiB: 0 }]),
  );
  for (const entry of readdirSync("/proc")) {
    const stat = /^\d+$/.test(entry) ? statOf(entry) : undefined;
    const tier = stat === undefined ? undefined : tierOf.get(stat.group);
    const sums = tier === undefined ? undefined : figures.get(tier);
    if (stat === undefined || sums === undefined) continue;
    sums.cpuSeconds += stat.cpuSeconds;
    sums.memoryMiB += stat.memoryMiB;
  }
  return figures;
}

function statOf(pid: string) {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return undefined; // it has ended meanwhile
  }
  // After the name, which may hold anything: state ppid pgrp ... (proc(5), fields 3 on)
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const number = (field: number): number => Number(fields[field - 3]);
  return {
    group: number(5),
    cpuSeconds: (number(14) + number(15)) / ticksPerSecond,
    memoryMiB: (number(24) * pageBytes) / 2 ** 20,
  };
}
