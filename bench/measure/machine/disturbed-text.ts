import type { Report } from "../report.ts";
import { disturbedAbovePercent, type Disturbance } from "./disturbance.ts";

/* How reports and comparisons show what disturbed a run. Reports of an earlier bench do not know it. */

/** Foreign CPU time and steal, such as "foreign CPU 52 % (node 1.1 s), steal 0.3 %". */
export function disturbanceText({ foreign, steal }: Disturbance): string {
  const largest = foreign?.largest.map(({ name, cpuSeconds }) => `${name} ${cpuSeconds} s`).join(", ") ?? "";
  const others = foreign === null ? "unknown" : `${foreign.percent} %${largest === "" ? "" : ` (${largest})`}`;
  return `foreign CPU ${others}, steal ${steal === null ? "unknown" : `${steal.percent} %`}`;
}

/** The speed of the calibration loop, such as "4.1 ns a step before, 4.2 ns after (+2.4 %)". */
export function calibrationText({ calibration: { beforeNs, afterNs, changePercent } }: Disturbance): string {
  return `${beforeNs} ns a step before, ${afterNs} ns after (${changePercent < 0 ? "" : "+"}${changePercent} %)`;
}

/** What follows the name of a run in a comparison: " *" for a disturbed one. */
export function markOf({ disturbance }: Report): "" | " *" {
  return disturbance?.isDisturbed === true ? " *" : "";
}

/** The lines below a comparison that explain its marks. Empty: no run was disturbed. */
export function markedLines(runs: readonly { readonly name: string; readonly report: Report }[]): readonly string[] {
  const marked = runs.flatMap(({ name, report: { disturbance } }) =>
    disturbance?.isDisturbed === true ? [`  ${name}: ${disturbanceText(disturbance)}`] : [],
  );
  if (marked.length === 0) return [];
  return [
    `* disturbed: other processes and the hypervisor took more than ${disturbedAbovePercent} % of the machine's CPU time`,
    ...marked,
  ];
}
