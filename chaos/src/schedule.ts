import type { FaultKind, FaultPlan } from "./kinds/fault-kind.ts";
import { Random } from "./random.ts";

export interface ScheduledFault extends FaultPlan {
  readonly kind: string;
}

/** The faults of a seed: always the same. Each kind comes once before one comes a second time, in an order that is drawn anew. */
export function scheduleOf(
  seed: number,
  kinds: readonly FaultKind[],
  domains: readonly string[],
  count: number,
): readonly ScheduledFault[] {
  const random = new Random(seed);
  const schedule: ScheduledFault[] = [];
  while (schedule.length < count && kinds.length > 0) {
    for (const kind of random.shuffled(kinds)) {
      if (schedule.length < count) schedule.push({ kind: kind.name, ...kind.plan(random, domains) });
    }
  }
  return schedule;
}
