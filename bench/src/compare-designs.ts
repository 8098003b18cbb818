import { designNames, durabilityNames, type DesignName, type Durability } from "./designs/designs.ts";
import { figures } from "./figures.ts";
import type { Report } from "./report.ts";

/** A design and a durability, as `design` or `design:durability`. */
export interface Contender {
  readonly name: string;
  readonly design: DesignName;
  readonly durability: Durability;
}

/** Throws a TypeError that tells what there is. */
export function contenderNamed(name: string): Contender {
  const [first, second = "confirmed", ...more] = name.split(":");
  const design = designNames.find((one) => one === first);
  const durability = durabilityNames.find((one) => one === second);
  if (design === undefined || durability === undefined || more.length > 0) {
    throw new TypeError(
      `there is no "${name}"; expected ${designNames.join(", ")}, each with :${durabilityNames.join(", :")} behind it or nothing`,
    );
  }
  return { name, design, durability };
}

/** Who runs when: in one order and then in the opposite one, so that a machine that becomes slower or faster is fair to all. */
export function turns(contenders: readonly Contender[], rounds: number): readonly Contender[] {
  return Array.from({ length: rounds }, (_, round) => (round % 2 === 0 ? contenders : contenders.toReversed())).flat();
}

/** Medians of each contender, and what the first has of each other in each round: lowest, median, highest. `runs` in the order of turns. */
export function comparison(contenders: readonly Contender[], runs: readonly (readonly [Contender, Report])[]): string {
  const of = ({ name }: Contender): readonly Report[] =>
    runs.filter(([contender]) => contender.name === name).map(([, report]) => report);
  const width = Math.max(12, ...contenders.map(({ name }) => name.length + 2));
  const cell = (text: string): string => text.padStart(width);
  const medians = figures.flatMap(([name, figure]) => {
    const cells = contenders.map((contender) => {
      const values = of(contender).flatMap((report) => figure(report) ?? []);
      return values.length === 0 ? "-" : quantile(values, 0.5).toFixed(name.endsWith("/s") ? 0 : 1);
    });
    return cells.every((text) => text === "-") ? [] : [`${name.padEnd(15)}${cells.map(cell).join("")}`];
  });
  const [first, ...others] = contenders;
  const ratios = others.flatMap((other) =>
    figures.slice(0, 3).flatMap(([name, figure]) => {
      const pairs = of(first ?? other).flatMap((report, round) => {
        const theirs = of(other)[round];
        const [a, b] = [figure(report), theirs === undefined ? null : figure(theirs)];
        return a === null || b === null || b === 0 ? [] : [a / b];
      });
      if (pairs.length === 0) return [];
      const [low, middle, high] = [0, 0.5, 1].map((share) => quantile(pairs, share).toFixed(2));
      return [
        `${name.padEnd(15)}${first?.name} / ${other.name}: ${middle}  (${low} to ${high}, ${pairs.length} rounds)`,
      ];
    }),
  );
  return [
    `${"median of".padEnd(15)}${contenders.map(({ name }) => cell(name)).join("")}`,
    ...medians,
    "",
    ...ratios,
  ].join("\n");
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(at)] ?? 0, sorted[Math.ceil(at)] ?? 0];
  return low + (high - low) * (at - Math.floor(at));
}
