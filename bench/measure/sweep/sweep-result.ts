import { quantile } from "../../kit/index.ts";
import { faultsOf } from "../compare-designs.ts";
import { markedLines } from "../machine/disturbed-text.ts";
import { commonConditions, type Conditions } from "../ratios.ts";
import { isGood, type Report } from "../report.ts";
import { throughputFigure } from "../throughput.ts";
import { nameOf, type Dimension, type Point } from "./dimensions.ts";
import type { Sweep, Turn } from "./sweep-folder.ts";

/** A figure over the rounds. */
export interface Spread {
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
  /** Runs that other processes or the hypervisor disturbed. Absent in results of an earlier bench. */
  readonly disturbed?: number;
}

/** The result of a sweep, as `--json` writes it. */
export interface SweepResult {
  readonly kind: "result of a sweep of pnpm bench, version 1";
  readonly at: string;
  readonly commit: string;
  readonly repeat: string;
  readonly rounds: number;
  readonly dimensions: readonly Dimension[];
  /** What all its runs have in common. */
  readonly conditions: Partial<Conditions>;
  /** The name of the figure `throughput`, such as `ranked /s`. */
  readonly throughput: string;
  readonly settings: readonly SettingFigures[];
  /** With --within-p99. null: no setting is within it. */
  readonly best?: { readonly withinP99Ms: number; readonly within: number; readonly point: Point | null };
  /** What went wrong in single runs, and what disturbed them. */
  readonly faults: readonly string[];
}

/** A run that has ended. */
export interface EndedTurn extends Turn {
  readonly report: Report;
}

/** Computes the figures of each setting from its runs. `points`: every setting, in their order. */
export function resultOf(sweep: Sweep, points: readonly Point[], turns: readonly EndedTurn[]): SweepResult {
  const { at, commit, repeat, rounds, dimensions } = sweep;
  const figure = throughputFigure(turns.map(({ report }) => report));
  const settings = points.map((point) => {
    const reports = turns.filter((turn) => isSame(turn.point, point)).map(({ report }) => report);
    return {
      point,
      runs: reports.length,
      throughput: spreadOf(reports.map(figure.of)),
      p99Ms: spreadOf(reports.map(({ latencyMs, reads }) => (latencyMs ?? reads.latencyMs)?.p99 ?? null)),
      cpuUsPerEvent: spreadOf(reports.map(({ cpuUsPerEvent }) => cpuUsPerEvent.total)),
      isGood: reports.every(isGood),
      clientLimited: reports.filter(({ client }) => client.isLimit).length,
      disturbed: reports.filter(({ disturbance }) => disturbance?.isDisturbed === true).length,
    };
  });
  const named = turns.map(({ point, round, report }) => ({
    name: `${nameOf(dimensions, point)}, round ${round + 1}`,
    report,
  }));
  return {
    kind: "result of a sweep of pnpm bench, version 1",
    at,
    commit,
    repeat,
    rounds,
    dimensions,
    conditions: commonConditions(turns.map(({ report }) => report)),
    throughput: figure.name,
    settings,
    faults: [...named.flatMap(({ name, report }) => faultsOf(name, report)), ...markedLines(named)],
  };
}

export function isSame(a: Point, b: Point): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}

/** What follows the name of a setting: " *" where one of its runs was disturbed. */
export function markOfSetting({ disturbed = 0 }: SettingFigures): "" | " *" {
  return disturbed > 0 ? " *" : "";
}

function spreadOf(values: readonly (number | null)[]): Spread | null {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return null;
  return { low: quantile(known, 0), median: quantile(known, 0.5), high: quantile(known, 1) };
}
