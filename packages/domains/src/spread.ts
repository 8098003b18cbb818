import { zipf } from "./zipf.ts";

/** Draws one of 1 to some number. */
export type Draw = (random: () => number) => number;

/** All of 1 to `count` equally likely. */
const uniform =
  (count: number): Draw =>
  (random) =>
    1 + Math.floor(random() * count);

/** The keys of a workload for each Spread: `wide` are those that the contract names, `narrow` few. */
export function spreadOver(wide: number, narrow: number): Readonly<Record<"wide" | "narrow" | "zipf", Draw>> {
  return { wide: uniform(wide), narrow: uniform(narrow), zipf: zipf(wide) };
}
