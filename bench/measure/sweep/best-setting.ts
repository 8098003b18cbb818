import { compareSettings, nameOf, type Dimension } from "./dimensions.ts";
import type { SettingFigures, SweepResult } from "./sweep-result.ts";

export interface Limits {
  readonly withinP99Ms: number;
  /**
   * Settings count as equally fast within this share of the highest throughput, because runs differ by about as much.
   */
  readonly within: number;
}

/** The chosen setting, and the fastest one within the limit. */
interface Best {
  readonly chosen: SettingFigures;
  readonly fastest: SettingFigures;
}

/**
 * The smallest setting whose median throughput is at least (1 - within) of the highest, among those whose median p99
 * is within the limit and whose runs kept all events. Choosing the fastest itself would choose by noise. undefined:
 * none is within the limit.
 */
export function bestSetting(
  { dimensions, settings }: Pick<SweepResult, "dimensions" | "settings">,
  { withinP99Ms, within }: Limits,
): Best | undefined {
  const allowed = settings.filter(({ isGood, p99Ms }) => isGood && p99Ms !== null && p99Ms.median <= withinP99Ms);
  const fastest = allowed.toSorted((a, b) => rateOf(b) - rateOf(a))[0];
  if (fastest === undefined) return undefined;
  const equal = allowed.filter((one) => rateOf(one) >= (1 - within) * rateOf(fastest));
  const [chosen = fastest] = equal.toSorted((a, b) => compareSettings(dimensions, a.point, b.point));
  return { chosen, fastest };
}

/** The choice and its rule for people. */
export function choiceOf(result: SweepResult, limits: Limits): string {
  const { dimensions, settings, throughput } = result;
  const best = bestSetting(result, limits);
  const described = (one: SettingFigures): string =>
    `${nameOf(dimensions, one.point)} (${throughput} ${Math.round(rateOf(one))}, p99 ${one.p99Ms?.median.toFixed(1)} ms)`;
  if (best === undefined) {
    const lowest = settings
      .filter(({ p99Ms }) => p99Ms !== null)
      .toSorted((a, b) => (a.p99Ms?.median ?? 0) - (b.p99Ms?.median ?? 0))[0];
    const of = lowest === undefined ? "" : `; the lowest is that of ${described(lowest)}`;
    return `no setting that lost nothing has a median p99 of at most ${limits.withinP99Ms} ms${of}`;
  }
  const percent = Math.round((1 - limits.within) * 100);
  return `best within p99 ${limits.withinP99Ms} ms: ${described(best.chosen)}
rule: of the settings whose median p99 is at most ${limits.withinP99Ms} ms, the ${smallest(dimensions)} with at least ${percent} % of the highest median throughput, that of ${described(best.fastest)}`;
}

function smallest(dimensions: readonly Dimension[]): string {
  const [first, second] = dimensions;
  return second === undefined ? `smallest ${first?.name}` : `smallest ${first?.name}, then ${second.name},`;
}

const rateOf = ({ throughput }: SettingFigures): number => throughput?.median ?? 0;
