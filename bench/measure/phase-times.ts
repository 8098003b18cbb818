import { round } from "./latency.ts";
import type { PhaseTime } from "./report.ts";

/** A load that has run. Times are of performance.now(). */
interface LoadSeen {
  readonly result: { readonly seconds: number };
  readonly drained:
    | { readonly stored: { readonly at: number } | undefined; readonly ranked: { readonly at: number } | undefined }
    | undefined;
  readonly startedAt: number;
}

interface NamedLoad {
  readonly name: Exclude<PhaseTime["name"], "drain">;
  readonly seen: LoadSeen;
}

/** When each load and its drain began and ended, in seconds from `origin`. A drain whose end is unknown has no phase. */
export function phaseTimes(loads: readonly NamedLoad[], origin: number): readonly PhaseTime[] {
  return loads.flatMap(({ name, seen: { result, drained, startedAt } }): readonly PhaseTime[] => {
    const begun = (startedAt - origin) / 1000;
    const ended = begun + result.seconds;
    const drainedAt = drained?.ranked ?? drained?.stored;
    const load = { name, begun: round(begun, 2), ended: round(ended, 2) };
    if (drainedAt === undefined) return [load];
    const drainEnded = Math.max(ended, (drainedAt.at - origin) / 1000);
    return [load, { name: "drain", begun: load.ended, ended: round(drainEnded, 2) }];
  });
}
