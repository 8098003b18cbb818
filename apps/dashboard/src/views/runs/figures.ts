import { numberText, shortSpanText } from "../../parts/format.ts";

/** A stored report of `pnpm bench` or `pnpm chaos`, of any version: each figure may be missing. */
export type Report = unknown;

export interface Figure {
  readonly name: string;
  readonly value: number | undefined;
  readonly text: string;
  /** Whether more or less of it is better; undefined: neither. */
  readonly better: "more" | "less" | undefined;
}

type Kind = "perSecond" | "count" | "ms" | "seconds" | "us" | "ns" | "mib" | "percent";

type Known = readonly [name: string, path: string, kind: Kind, better?: "more" | "less"];

const benchFigures: readonly Known[] = [
  ["Accepted", "accepted.perSecond", "perSecond", "more"],
  ["Stored", "stored.perSecond", "perSecond", "more"],
  ["Ranked", "ranked.perSecond", "perSecond", "more"],
  ["Reads", "reads.perSecond", "perSecond", "more"],
  ["Latency p50", "latencyMs.p50", "ms", "less"],
  ["Latency p95", "latencyMs.p95", "ms", "less"],
  ["Latency p99", "latencyMs.p99", "ms", "less"],
  ["Latency p99.9", "latencyMs.p999", "ms", "less"],
  ["Sent to ranked p99", "eventToRankedMs.p99", "ms", "less"],
  ["Drained after", "drainSeconds", "seconds", "less"],
  ["CPU for each event", "cpuUsPerEvent.total", "us", "less"],
  ["Memory of gateways", "memoryMiB.gateway", "mib", "less"],
  ["Memory of writers", "memoryMiB.writer", "mib", "less"],
  ["Foreign CPU", "disturbance.foreign.percent", "percent"],
  ["Steal", "disturbance.steal.percent", "percent"],
  ["Calibration step", "disturbance.calibration.meanNs", "ns"],
  ["Errors", "errors.non2xx", "count", "less"],
  ["Connections", "connections", "count"],
  ["Lost", "audit.lost", "count", "less"],
  ["Doubled", "audit.doubled", "count", "less"],
];

const drillFigures: readonly Known[] = [
  ["Faults", "faults.length", "count"],
  ["Seed", "seed", "count"],
  ["Load", "load.seconds", "seconds"],
  ["Events", "eventsPerSecond", "perSecond", "more"],
  ["Acknowledged", "audit.acknowledged", "count"],
  ["Stored", "audit.stored", "count"],
  ["Ranked", "audit.ranked", "count"],
  ["Lost", "audit.lost", "count", "less"],
  ["Doubled", "audit.doubled", "count", "less"],
  ["Broken guarantees", "differences.length", "count", "less"],
  ["Audit took", "auditSeconds", "seconds", "less"],
];

/** The figures of a report, headline first. Omits those that it does not have. */
export function figuresOf(report: Report): readonly Figure[] {
  const known = Array.isArray(valueAt(report, "faults")) ? drillFigures : benchFigures;
  return known.flatMap(([name, path, kind, better]) => {
    const value = valueAt(report, path);
    return typeof value === "number" ? { name, value, text: textOf(value, kind), better } : [];
  });
}

/** The difference of b to a, as "+12 %", and whether it is better. undefined: neither of them is 0 or known. */
export function differenceOf(
  a: Figure,
  b: Figure,
): { readonly text: string; readonly isBetter: boolean | undefined } | undefined {
  if (a.value === undefined || b.value === undefined || a.value === 0) return undefined;
  const percent = (b.value / a.value - 1) * 100;
  if (Math.abs(percent) < 0.05) return { text: "equal", isBetter: undefined };
  const text = `${percent < 0 ? "−" : "+"}${numberText(Math.abs(percent))} %`;
  // Runs on one machine differ by this much without a reason.
  if (a.better === undefined || Math.abs(percent) < 5) return { text, isBetter: undefined };
  return { text, isBetter: a.better === "more" ? percent > 0 : percent < 0 };
}

/** Whether other processes or the hypervisor disturbed a bench run. */
export const isDisturbed = (report: Report): boolean => valueAt(report, "disturbance.isDisturbed") === true;

/** The value at a path such as "latencyMs.p99"; undefined: there is none. */
export function valueAt(value: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce((at: unknown, name) => (typeof at === "object" && at !== null ? Reflect.get(at, name) : undefined), value);
}

function textOf(value: number, kind: Kind): string {
  switch (kind) {
    case "perSecond":
      return `${numberText(value)} /s`;
    case "ms":
      return shortSpanText(value);
    case "seconds":
      return `${numberText(value)} s`;
    case "us":
      return `${numberText(value)} µs`;
    case "ns":
      return `${numberText(value)} ns`;
    case "percent":
      return `${numberText(value)} %`;
    case "mib":
      return `${numberText(value)} MiB`;
    case "count":
      return numberText(value);
  }
}
