import { figures } from "./figures.ts";
import type { Report } from "./report.ts";

/** Figures of our run divided by those of another. No ratio where one report lacks the figure. */
export function ratios(ours: Report, theirs: Report): string {
  const lines = figures.flatMap(([name, of]) => {
    const [a, b] = [of(ours), of(theirs)];
    if (a === null && b === null) return [];
    const ratio = a === null || b === null || b === 0 ? "" : (a / b).toFixed(3);
    return [`${name.padEnd(14)}${cell(a)}${cell(b)}  ${ratio}`];
  });
  return [
    `compared with ${theirs.design}, ${theirs.at}, commit ${theirs.commit}`,
    ...differences(ours, theirs),
    ...lines,
  ].join("\n");
}

/** The request of a run and its machine. Where two runs differ in these, the code is not the only difference. */
const conditions = [
  "machine",
  "mode",
  "design",
  "durability",
  "domain",
  "source",
  "model",
  "offeredPerSecond",
  "asked",
  "fill",
  "warmUpSeconds",
  "connections",
  "clientThreads",
  "gateways",
  "seed",
  "spread",
  "readShare",
  "contentBytes",
] as const satisfies readonly (keyof Report)[];

/** Reports of an older bench may lack some of them. */
function differences(ours: Report, theirs: Report): readonly string[] {
  return conditions.flatMap((name) => {
    const [a, b] = [ours[name], theirs[name]].map((value) => JSON.stringify(value) ?? "unknown");
    return a === b || theirs[name] === undefined ? [] : [`different ${name}: ${a} here, ${b} there`];
  });
}

const cell = (value: number | null): string => String(value ?? "unknown").padStart(11);
