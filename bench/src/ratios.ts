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
  return [`against ${theirs.design}, ${theirs.at}, commit ${theirs.commit}`, ...lines].join("\n");
}

const cell = (value: number | null): string => String(value ?? "not known").padStart(11);
