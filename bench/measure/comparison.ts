import { quantile } from "../kit/index.ts";
import { figures, throughputs } from "./figures.ts";
import { isGood, remarksOn, type Report } from "./report.ts";

/** A run of a contender: of a design, a build, or a setting of a sweep. */
export interface Run {
  readonly contender: string;
  /** From 0. */
  readonly round: number;
  readonly report: Report;
}

/** The figures of the first contender divided by those of each other one, over all rounds, where both have them. */
export function ratiosOf([first = "", ...others]: readonly string[], runs: readonly Run[]) {
  return others.flatMap((other) =>
    figures.flatMap(({ name: figure, of }) => {
      const pairs = runsOf(first, runs).flatMap(({ round, report }) => {
        const against = runsOf(other, runs).find((run) => run.round === round);
        const [a, b] = [of(report), against === undefined ? null : of(against.report)];
        return a === null || b === null || b === 0 ? [] : [a / b];
      });
      if (pairs.length === 0) return [];
      const [low, median, high] = [quantile(pairs, 0), quantile(pairs, 0.5), quantile(pairs, 1)];
      return [{ figure, of: first, against: other, low, median, high, rounds: pairs.length }];
    }),
  );
}

/** The same for people, one a line. */
export function ratioLines(contenders: readonly string[], runs: readonly Run[]): readonly string[] {
  return ratiosOf(contenders, runs).map(({ figure, of, against, low, median, high, rounds }) => {
    const [lowest, middle, highest] = [low, median, high].map((ratio) => ratio.toFixed(2));
    return `${figure.padEnd(15)}${of} / ${against}: ${middle}  (${lowest} to ${highest}, ${rounds} rounds)`;
  });
}

/** A line for each other contender whose throughput the first does not reach by this factor, or has no ratio. */
export function tooSlow(contenders: readonly string[], runs: readonly Run[], failBelow: number): readonly string[] {
  const ratios = ratiosOf(contenders, runs);
  return contenders.slice(1).flatMap((name) => {
    const ratio = throughputs
      .map((throughput) => ratios.find(({ against, figure }) => against === name && figure === throughput.name))
      .find((found) => found !== undefined);
    if (ratio !== undefined && ratio.median >= failBelow) return [];
    const median = ratio?.median.toFixed(2) ?? "unknown";
    return [`${contenders[0]} / ${name}: ${ratio?.figure ?? "ranked /s"} ${median}, below ${failBelow}`];
  });
}

/** A table for people: the median of each known figure, a line for each contender; then what is wrong with its runs. */
export function medianTable(contenders: readonly string[], runs: readonly Run[]): string {
  const columns = figures.flatMap(({ name, of }) => {
    const cells = contenders.map((contender) => {
      const median = medianOf(of, runsOf(contender, runs));
      return median === null ? "-" : median.toFixed(name.endsWith("/s") ? 0 : 1);
    });
    return cells.every((cell) => cell === "-") ? [] : [[name.trim(), ...cells]];
  });
  const width = (column: readonly string[]): number => Math.max(...column.map(({ length }) => length));
  const names = ["median of", ...contenders];
  const lines = names.map((name, line) =>
    [name.padEnd(width(names)), ...columns.map((column) => (column[line] ?? "").padStart(width(column)))].join("  "),
  );
  const remarks = runs.flatMap(({ contender, round, report }) =>
    remarksOn(report).map((remark) => `${contender}, round ${round + 1}: ${remark}`),
  );
  return [...lines, ...remarks].join("\n");
}

// Two short runs of one setting differ by about this share.
const tolerance = 0.1;

/** Among the contenders whose runs kept all events and whose median p99 is within the limit, the first one with at
 * least 90 % of the highest median throughput. The fastest itself would be chosen by noise. undefined: none. */
export function bestWithin(p99Ms: number, contenders: readonly string[], runs: readonly Run[]) {
  const throughput = throughputs.find(({ of }) => runs.some(({ report }) => of(report) !== null));
  const allowed = contenders.flatMap((name) => {
    const own = runsOf(name, runs);
    const [rate, p99] = [throughput && medianOf(throughput.of, own), medianOf(p99Of, own)];
    return rate && p99 !== null && p99 <= p99Ms && own.every(({ report }) => isGood(report))
      ? [{ name, rate, p99 }]
      : [];
  });
  const highest = Math.max(...allowed.map(({ rate }) => rate));
  const best = allowed.find(({ rate }) => rate >= (1 - tolerance) * highest);
  return best && throughput && { ...best, throughput: throughput.name };
}

/** The p99 of POSTs; of GETs where nothing else was sent. */
export function p99Of({ latencyMs, reads }: Report): number | null {
  return (latencyMs ?? reads.latencyMs)?.p99 ?? null;
}

function medianOf(of: (report: Report) => number | null, runs: readonly Run[]): number | null {
  const values = runs.flatMap(({ report }) => of(report) ?? []);
  return values.length === 0 ? null : quantile(values, 0.5);
}

function runsOf(name: string, runs: readonly Run[]): readonly Run[] {
  return runs.filter(({ contender }) => contender === name);
}
