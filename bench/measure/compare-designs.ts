import { quantile } from "../kit/index.ts";
import { designNames, durabilityNames, meaningOf, type DesignName, type Durability } from "./designs/designs.ts";
import { figures } from "./figures.ts";
import { markedLines, markOf } from "./machine/disturbed-text.ts";
import { isGood, type Report } from "./report.ts";
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

/** The order of the runs: each round reverses the one before, so that a machine that becomes slower or faster is fair to all. */
export function turns<T>(contenders: readonly T[], rounds: number): readonly T[] {
  return Array.from({ length: rounds }, (_, round) => (round % 2 === 0 ? contenders : contenders.toReversed())).flat();
}

/** A run of a contender. */
export interface Run {
  readonly contender: string;
  readonly report: Report;
}

/** The figures of the first contender divided by those of each other one, over all rounds, where both have them. `runs` are in the order of turns(). */
export function ratiosOf([first, ...others]: readonly Contender[], runs: readonly Run[]) {
  if (first === undefined) return [];
  return others.flatMap((other) =>
    figures.flatMap(([figure, of]) => {
      const theirs = reportsOf(other, runs);
      const pairs = reportsOf(first, runs).flatMap((report, round) => {
        const against = theirs[round];
        const [a, b] = [of(report), against === undefined ? null : of(against)];
        return a === null || b === null || b === 0 ? [] : [a / b];
      });
      if (pairs.length === 0) return [];
      const [low, median, high] = [quantile(pairs, 0), quantile(pairs, 0.5), quantile(pairs, 1)];
      return [{ figure, of: first.name, against: other.name, low, median, high, rounds: pairs.length }];
    }),
  );
}

/**
 * One line for each other contender whose throughput the first one does not reach by this factor, or for which no round has a ratio. The
 * throughput is of ranked events; of accepted ones where nothing is ranked; of reads where nothing else was sent.
 */
export function tooSlow(contenders: readonly Contender[], runs: readonly Run[], failBelow: number): readonly string[] {
  const ratios = ratiosOf(contenders, runs);
  return contenders.slice(1).flatMap(({ name }) => {
    const own = ratios.filter(({ against }) => against === name);
    const ratio = ["ranked /s", "accepted /s", "reads /s"]
      .map((throughput) => own.find(({ figure }) => figure === throughput))
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
  const medians = figures.flatMap(([name, figure]) => {
    const cells = contenders.map((contender) => {
      const values = reportsOf(contender, runs).flatMap((report) => figure(report) ?? []);
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
  return [
    `${"median of".padEnd(15)}${contenders.map(({ name }) => cell(name + markOfAll(name))).join("")}`,
    ...medians,
    "",
    ...ratios,
    "",
    ...contenders.map(({ name, design, durability }) => `${name}: a 2xx means ${meaningOf(design, durability)}`),
    ...runs.flatMap(({ contender, report }, index) => faultsOf(`${contender}, run ${index + 1}`, report)),
    ...markedLines(runs.map(({ contender, report }, index) => ({ name: `${contender}, run ${index + 1}`, report }))),
  ].join("\n");
}

/** What went wrong in a run, where its figures do not show it. */
export function faultsOf(name: string, report: Report): readonly string[] {
  if (isGood(report)) return [];
  const { accepted, reads, audit, subscriber, followed } = report;
  if (accepted.events + reads.requests === 0) return [`${name}: no request got a 2xx`];
  const missing = subscriber === undefined ? 0 : subscriber.stored - subscriber.received;
  const causes = [
    ...(audit === null ? [] : [`lost ${audit.lost}, doubled ${audit.doubled}`]),
    ...(report.agrees === false ? ["the audit does not agree"] : []),
    ...(missing > 0 ? [`the third subscriber lacks ${missing} batches`] : []),
    ...(audit === null && (followed?.neverStored ?? 0) > 0
      ? [`${followed?.neverStored} of ${followed?.events} followed events were never stored`]
      : []),
  ];
  return [`${name}: ${causes.join(", ")}`];
}

function reportsOf({ name }: Contender, runs: readonly Run[]): readonly Report[] {
  return runs.filter(({ contender }) => contender === name).map(({ report }) => report);
}
