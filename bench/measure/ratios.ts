import { figures } from "./figures.ts";
import { markedLines, markOf } from "./machine/disturbed-text.ts";
import type { Report } from "./report.ts";

/** Figures of our run divided by those of another. No ratio where one report lacks the figure. Marks the ratios of a disturbed run. */
export function ratios(ours: Report, theirs: Report): string {
  const mark = markOf(ours) || markOf(theirs);
  const lines = figures.flatMap(([name, of]) => {
    const [a, b] = [of(ours), of(theirs)];
    if (a === null && b === null) return [];
    const ratio = a === null || b === null || b === 0 ? "" : (a / b).toFixed(3);
    return [`${name.padEnd(14)}${cell(a)}${cell(b)}  ${ratio}${ratio === "" ? "" : mark}`];
  });
  return [
    `compared with ${theirs.design}, ${theirs.at}, commit ${theirs.commit}`,
    ...differences(ours, theirs),
    ...lines,
    ...markedLines([
      { name: "here", report: ours },
      { name: "there", report: theirs },
    ]),
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
  "settings",
] as const satisfies readonly (keyof Report)[];

export type Conditions = Pick<Report, (typeof conditions)[number]>;

/** The conditions that are equal in all runs. */
export function commonConditions(reports: readonly Report[]): Partial<Conditions> {
  const [first, ...others] = reports;
  const isCommon = (name: keyof Conditions): boolean =>
    others.every((other) => JSON.stringify(other[name]) === JSON.stringify(first?.[name]));
  // The keys are those of the list.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(conditions.filter(isCommon).map((name) => [name, first?.[name]])) as Partial<Conditions>;
}

/** Leaves out what `theirs` lacks, such as a report of an older bench. */
export function differences(ours: Partial<Conditions>, theirs: Partial<Conditions>): readonly string[] {
  return conditions.flatMap((name) => {
    const [a, b] = [ours[name], theirs[name]].map((value) => JSON.stringify(value) ?? "unknown");
    return a === b || theirs[name] === undefined ? [] : [`different ${name}: ${a} here, ${b} there`];
  });
}

const cell = (value: number | null): string => String(value ?? "unknown").padStart(11);
