import { WrongUsage } from "../wrong-usage.ts";
import { quantile } from "../../kit/index.ts";
import { throughputs } from "../figures.ts";
import { faultsOf, isGood, markedLines, type Report } from "../report.ts";

/** A setting of the load or of the apps, and the values that a sweep gives it, in their order. */
export interface Dimension {
  /** As on the command line without dashes, or the name of a variable of the apps. */
  readonly name: string;
  readonly values: readonly string[];
}

/** Everything that can have several values. `set`: texts such as `NAME=a,b`. */
export interface Swept {
  readonly connections: readonly string[];
  readonly gateways: readonly string[];
  readonly set: readonly string[];
}

/** Throws a WrongUsage unless one or two settings have several values, all different. */
export function settingsOf({ connections, gateways, set }: Swept) {
  const all: readonly Dimension[] = [
    { name: "connections", values: connections },
    { name: "gateways", values: gateways },
    ...set.map((text) => {
      const name = text.slice(0, text.indexOf("="));
      return { name, values: text.slice(name.length + 1).split(",") };
    }),
  ];
  for (const { name, values } of all) {
    const twice = values.find((value, index) => values.indexOf(value) < index);
    if (twice !== undefined) throw new WrongUsage(`${name}: ${twice} is given twice`);
    if (all.filter((other) => other.name === name).length > 1) throw new WrongUsage(`${name} is set twice`);
  }
  const dimensions = all.filter(({ values }) => values.length > 1);
  if (dimensions.length === 0 || dimensions.length > 2) {
    const got = dimensions.length === 0 ? "none" : dimensions.map(({ name }) => name).join(", ");
    throw new WrongUsage(
      `expected one or two settings with several values, such as --connections 32,64,128; got ${got}`,
    );
  }
  return { dimensions, fixed: all.filter(({ values }) => values.length === 1) };
}

/** One value for each dimension. */
export type Point = readonly string[];

/** Every combination of values; the last dimension varies fastest. */
export function pointsOf(dimensions: readonly Dimension[]): readonly Point[] {
  return dimensions.reduce<readonly Point[]>(
    (points, { values }) => points.flatMap((point) => values.map((value) => [...point, value])),
    [[]],
  );
}

/** Such as `connections 32, WRITER_PREFETCH 8`. */
export function nameOf(dimensions: readonly Dimension[], point: Point): string {
  return dimensions.map(({ name }, index) => `${name} ${point[index]}`).join(", ");
}

/** Negative where the first value of `a` that differs is the smaller number, or stands first in its list. */
export function compareSettings(dimensions: readonly Dimension[], a: Point, b: Point): number {
  for (const [index, { values }] of dimensions.entries()) {
    const [first = "", second = ""] = [a[index], b[index]];
    if (first === second) continue;
    const areNumbers = values.every((value) => value !== "" && Number.isFinite(Number(value)));
    return areNumbers ? Number(first) - Number(second) : values.indexOf(first) - values.indexOf(second);
  }
  return 0;
}

/** A run of a sweep. */
export interface Turn {
  /** From 0. */
  readonly round: number;
  readonly point: Point;
  readonly report: Report;
}

/** A figure over the rounds. */
interface Spread {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

/** The figures of one setting. null: unknown in all its runs. */
interface SettingFigures {
  /** In the order of the dimensions. */
  readonly point: Point;
  readonly runs: number;
  readonly throughput: Spread | null;
  /** Of POSTs; of GETs where nothing else was sent. */
  readonly p99Ms: Spread | null;
  readonly cpuUsPerEvent: Spread | null;
  /** Whether every run kept all events. */
  readonly isGood: boolean;
  /** Runs in which the client was the bottleneck: the system can do more. */
  readonly clientLimited: number;
  /** Runs that other processes or the hypervisor disturbed. */
  readonly disturbed: number;
}

/** The result of a sweep. */
export interface SweepResult {
  readonly dimensions: readonly Dimension[];
  /** The name of the figure `throughput`, such as `ranked /s`. */
  readonly throughput: string;
  readonly settings: readonly SettingFigures[];
  /** What went wrong in single runs, and what disturbed them. */
  readonly faults: readonly string[];
}

/** Computes the figures of each setting from its runs. */
export function resultOf(dimensions: readonly Dimension[], turns: readonly Turn[]): SweepResult {
  const known = throughputs.find(({ of }) => turns.some(({ report }) => of(report) !== null));
  const { name: throughput, of } = known ?? { name: "accepted /s", of: () => null };
  const settings = pointsOf(dimensions).map((point) => {
    const reports = turns.filter((turn) => turn.point.join() === point.join()).map(({ report }) => report);
    return {
      point,
      runs: reports.length,
      throughput: spreadOf(reports.map(of)),
      p99Ms: spreadOf(reports.map(({ latencyMs, reads }) => (latencyMs ?? reads.latencyMs)?.p99 ?? null)),
      cpuUsPerEvent: spreadOf(reports.map(({ cpuUsPerEvent }) => cpuUsPerEvent.total)),
      isGood: reports.every(isGood),
      clientLimited: reports.filter(({ client }) => client.isLimit).length,
      disturbed: reports.filter(({ disturbance }) => disturbance.isDisturbed === true).length,
    };
  });
  const named = turns.map(({ point, round, report }) => ({
    name: `${nameOf(dimensions, point)}, round ${round + 1}`,
    report,
  }));
  const faults = [...named.flatMap(({ name, report }) => faultsOf(name, report)), ...markedLines(named)];
  return { dimensions, throughput, settings, faults };
}

function spreadOf(values: readonly (number | null)[]): Spread | null {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return null;
  return { low: quantile(known, 0), median: quantile(known, 0.5), high: quantile(known, 1) };
}

/** A sweep as a table for people: medians, with the lowest and the highest round. */
export function tableOf({ dimensions, settings, throughput, faults }: SweepResult): string {
  const rows = [
    [...dimensions.map(({ name }) => name), throughput, "p99 ms", "CPU µs/event", ""],
    ...settings.map((one) => [
      ...one.point,
      shown(one.throughput, 0),
      shown(one.p99Ms, 1),
      shown(one.cpuUsPerEvent, 1),
      noteOf(one),
    ]),
  ];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    return cells.join("  ").trimEnd();
  });
  return [...lines, ...faults].join("\n");
}

/** What limits the figures of a setting. */
function noteOf({ runs, isGood: areGood, clientLimited, disturbed }: SettingFigures): string {
  const notes = [
    ...(areGood ? [] : ["not all runs are good"]),
    ...(clientLimited > 0 ? [`the client was the limit in ${clientLimited} of ${runs} runs`] : []),
    ...(disturbed > 0 ? [`* disturbed in ${disturbed} of ${runs} runs`] : []),
  ];
  return notes.join("; ");
}

function shown(spread: Spread | null, digits: number): string {
  if (spread === null) return "unknown";
  const [median, low, high] = [spread.median, spread.low, spread.high].map((value) => value.toFixed(digits));
  return `${median} (${low} to ${high})`;
}

interface Limits {
  readonly withinP99Ms: number;
  /** Settings within this share of the highest throughput count as equal, as runs differ by about as much. */
  readonly within: number;
}

/** The chosen setting, and the fastest one within the limit. */
interface Best {
  readonly chosen: SettingFigures;
  readonly fastest: SettingFigures;
}

/** The smallest setting whose median throughput is at least (1 - within) of the highest, among those within the limit
 * whose runs kept all events. The fastest itself would be chosen by noise. */
export function bestSetting(
  { dimensions, settings }: Pick<SweepResult, "dimensions" | "settings">,
  { withinP99Ms, within }: Limits,
): Best | undefined {
  const allowed = settings.filter(
    ({ isGood: areGood, p99Ms }) => areGood && p99Ms !== null && p99Ms.median <= withinP99Ms,
  );
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
