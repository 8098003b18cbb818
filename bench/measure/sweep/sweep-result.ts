import { quantile } from "../../kit/index.ts";
import { throughputs } from "../figures.ts";
import { faultsOf, isGood, markedLines, type Report } from "../report.ts";
import { nameOf, pointsOf, type Dimension, type Point } from "./dimensions.ts";

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
export interface SettingFigures {
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
