import { quantile } from "../kit/index.ts";
import { designNames, durabilityNames, meaningOf, type DesignName, type Durability } from "./designs/designs.ts";
import { figures, throughputs } from "./figures.ts";
import { faultsOf, markedLines, markOf, type Report } from "./report.ts";
import { WrongUsage } from "./wrong-usage.ts";

/** A design and a durability, as `design` or `design:durability`; or a build, as `batched@commit`. */
export interface Contender {
  readonly name: string;
  readonly design: DesignName;
  readonly durability: Durability;
  /** The hash, tag or branch of a build. */
  readonly revision?: string;
}

/** Throws a WrongUsage that lists the valid names. */
export function contenderNamed(name: string): Contender {
  const at = name.indexOf("@");
  if (at >= 0) {
    const [build, revision] = [name.slice(0, at), name.slice(at + 1)];
    if (build !== "batched" || revision === "")
      throw new WrongUsage(`"${name}": expected batched@ and a commit; a build is started by its own launcher`);
    return { name, design: "batched", durability: "confirmed", revision };
  }
  const [first, second = "confirmed", ...more] = name.split(":");
  const design = designNames.find((one) => one === first);
  const durability = durabilityNames.find((one) => one === second);
  if (design === undefined || durability === undefined || more.length > 0) {
    throw new WrongUsage(
      `there is no "${name}"; expected ${designNames.join(", ")}, optionally followed by :${durabilityNames.join(", :")}, or batched@commit`,
    );
  }
  return { name, design, durability };
}

/** Throws a WrongUsage also for a name that occurs twice, because names identify runs. */
export function contendersNamed(names: readonly string[]): readonly Contender[] {
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined)
    throw new WrongUsage(
      `"${twice}" is named twice; --rounds sets how often each runs, and a design without durability means :confirmed`,
    );
  return names.map(contenderNamed);
}

/** A run of a contender. */
export interface Run {
  readonly contender: string;
  /** From 0. */
  readonly round: number;
  readonly report: Report;
}

/** The figures of the first contender divided by those of each other one, over all rounds, where both have them. */
export function ratiosOf([first, ...others]: readonly Contender[], runs: readonly Run[]) {
  if (first === undefined) return [];
  return others.flatMap((other) =>
    figures.flatMap(({ name: figure, of }) => {
      const pairs = runsOf(first, runs).flatMap(({ round, report }) => {
        const against = runsOf(other, runs).find((run) => run.round === round);
        const [a, b] = [of(report), against === undefined ? null : of(against.report)];
        return a === null || b === null || b === 0 ? [] : [a / b];
      });
      if (pairs.length === 0) return [];
      const [low, median, high] = [quantile(pairs, 0), quantile(pairs, 0.5), quantile(pairs, 1)];
      return [{ figure, of: first.name, against: other.name, low, median, high, rounds: pairs.length }];
    }),
  );
}

/** A line for each other contender whose throughput the first does not reach by this factor, or has no ratio. */
export function tooSlow(contenders: readonly Contender[], runs: readonly Run[], failBelow: number): readonly string[] {
  const ratios = ratiosOf(contenders, runs);
  return contenders.slice(1).flatMap(({ name }) => {
    const ratio = throughputs
      .map((throughput) => ratios.find(({ against, figure }) => against === name && figure === throughput.name))
      .find((found) => found !== undefined);
    if (ratio !== undefined && ratio.median >= failBelow) return [];
    const [of, median] = [contenders[0]?.name, ratio?.median.toFixed(2) ?? "unknown"];
    return [`${of} / ${name}: ${ratio?.figure ?? "ranked /s"} ${median}, below ${failBelow}`];
  });
}

/** A table of medians and ratios for people. Marks contenders and ratios with a disturbed run. */
export function comparison(contenders: readonly Contender[], runs: readonly Run[]): string {
  const width = Math.max(12, ...contenders.map(({ name }) => name.length + 4));
  const cell = (text: string): string => text.padStart(width);
  const medians = figures.flatMap(({ name, of }) => {
    const cells = contenders.map((contender) => {
      const values = runsOf(contender, runs).flatMap(({ report }) => of(report) ?? []);
      return values.length === 0 ? "-" : quantile(values, 0.5).toFixed(name.endsWith("/s") ? 0 : 1);
    });
    return cells.every((text) => text === "-") ? [] : [`${name.padEnd(15)}${cells.map(cell).join("")}`];
  });
  const markOfAll = (name: string): string =>
    runs.some(({ contender, report }) => contender === name && markOf(report) !== "") ? " *" : "";
  const ratios = ratiosOf(contenders, runs).map(({ figure, of, against, low, median, high, rounds }) => {
    const [lowest, middle, highest] = [low, median, high].map((ratio) => ratio.toFixed(2));
    const mark = markOfAll(of) || markOfAll(against);
    return `${figure.padEnd(15)}${of} / ${against}: ${middle}  (${lowest} to ${highest}, ${rounds} rounds)${mark}`;
  });
  const named = runs.map(({ contender, round, report }) => ({ name: `${contender}, round ${round + 1}`, report }));
  return [
    `${"median of".padEnd(15)}${contenders.map(({ name }) => cell(name + markOfAll(name))).join("")}`,
    ...medians,
    "",
    ...ratios,
    "",
    ...contenders.map(({ name, design, durability }) => `${name}: a 2xx means ${meaningOf(design, durability)}`),
    ...named.flatMap(({ name, report }) => faultsOf(name, report)),
    ...markedLines(named),
  ].join("\n");
}

function runsOf({ name }: Contender, runs: readonly Run[]): readonly Run[] {
  return runs.filter(({ contender }) => contender === name);
}
