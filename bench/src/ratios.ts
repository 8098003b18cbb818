import type { Report } from "./report.ts";

/** Ours against another run: above 1 is more. */
export function ratios(ours: Report, theirs: Report): string {
  const figures: readonly [string, (report: Report) => number | null][] = [
    ["accepted /s", ({ accepted }) => accepted.perSecond],
    ["stored /s", ({ stored }) => stored.perSecond],
    ["ranked /s", ({ ranked }) => ranked.perSecond],
    ["p50 ms", ({ latencyMs }) => latencyMs.p50],
    ["p99 ms", ({ latencyMs }) => latencyMs.p99],
    ["CPU µs/event", ({ cpuUsPerEvent }) => cpuUsPerEvent.total],
  ];
  const lines = figures.map(([name, of]) => {
    const [a, b] = [of(ours), of(theirs)];
    const ratio = a === null || b === null || b === 0 ? "" : (a / b).toFixed(3);
    return `${name.padEnd(14)}${String(a ?? "").padStart(10)}${String(b ?? "").padStart(10)}  ${ratio}`;
  });
  return [`against ${theirs.design}, ${theirs.at}, commit ${theirs.commit}`, ...lines].join("\n");
}
