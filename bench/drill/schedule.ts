import { Random } from "../kit/index.ts";
import type { FaultKind, FaultPlan } from "./kinds/fault-kind.ts";
import { messageKinds } from "./kinds/messages.ts";
import { processKinds } from "./kinds/processes.ts";
import { linkKinds, serverKinds } from "./kinds/servers.ts";

export const faultKinds: readonly FaultKind[] = [...processKinds, ...serverKinds, ...linkKinds, ...messageKinds];

export interface ScheduledFault extends FaultPlan {
  readonly kind: string;
}

/** The faults of a seed, always the same ones. Every kind occurs once, in random order, before one occurs again. */
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
