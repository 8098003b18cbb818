import type { SettingFigures, Spread, SweepResult } from "./sweep-result.ts";

/** A sweep as a table for people: medians, with the lowest and the highest round. */
export function tableOf({ dimensions, settings, throughput, faults }: SweepResult): string {
  const rows = [
    [...dimensions.map(({ name }) => name), throughput, "p99 ms", "CPU µs/event", ""],
    ...settings.map((one) => [...one.point, ...cellsOf(one), noteOf(one)]),
  ];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return [...lines, ...faults].join("\n");
}

/** Throughput, p99 and CPU time of a setting. */
export function cellsOf({ throughput, p99Ms, cpuUsPerEvent }: SettingFigures): readonly string[] {
  return [shown(throughput, 0), shown(p99Ms, 1), shown(cpuUsPerEvent, 1)];
}

/** What limits the figures of a setting. */
export function noteOf({ runs, isGood, clientLimited, disturbed = 0 }: SettingFigures): string {
  const notes = [
    ...(isGood ? [] : ["not all runs are good"]),
    ...(clientLimited > 0 ? [`the client was the limit in ${clientLimited} of ${runs} runs`] : []),
    ...(disturbed > 0 ? [`* disturbed in ${disturbed} of ${runs} runs`] : []),
  ];
  return notes.join("; ");
}

function shown(spread: Spread | null, digits: number): string {
  if (spread === null) return "unknown";
  const text = (value: number): string => value.toFixed(digits);
  return `${text(spread.median)} (${text(spread.low)} to ${text(spread.high)})`;
}
