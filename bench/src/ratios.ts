import { figures } from "./figures.ts";
import type { Report } from "./report.ts";

/** Ours against another run: above 1 is more. A figure that one of them does not know has no ratio. */
export function ratios(ours: Report, theirs: Report): string {
  const lines = figures.flatMap(([name, of]) => {
    const [a, b] = [of(ours), of(theirs)];
    if (a === null && b === null) return [];
    const ratio = a === null || b === null || b === 0 ? "" : (a / b).toFixed(3);
    return [`${name.padEnd(14)}${cell(a)}${cell(b)}  ${ratio}`];
  });
  return [
    `against ${theirs.design}, ${theirs.at}, commit ${theirs.commit}`,
    ...differences(ours, theirs),
    ...lines,
  ].join("\n");
}

/** What a run was asked for and where it ran. Where two differ in it, their ratios are not of the code alone. */
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

/** A report of an older bench may not tell all of it. */
function differences(ours: Report, theirs: Report): readonly string[] {
  return conditions.flatMap((name) => {
    const [a, b] = [ours[name], theirs[name]].map((value) => JSON.stringify(value) ?? "not told");
    return a === b || theirs[name] === undefined ? [] : [`not alike: ${name} is ${a} here, ${b} there`];
  });
}

const cell = (value: number | null): string => String(value ?? "not known").padStart(11);
