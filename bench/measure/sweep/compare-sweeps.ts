import { readFile } from "node:fs/promises";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { differences } from "../ratios.ts";
import { problemIn } from "../stored-json.ts";
import { WrongUsage } from "../wrong-usage.ts";
import { Dimensions, nameOf, type Dimension, type Point } from "./dimensions.ts";
import { isSame, markOfSetting, type SettingFigures, type Spread, type SweepResult } from "./sweep-result.ts";

const kind: SweepResult["kind"] = "result of a sweep of pnpm bench, version 1";

const Figure = Type.Union([
  Type.Null(),
  Type.Object({ low: Type.Number(), median: Type.Number(), high: Type.Number() }),
]);
const resultFile = Compile(
  Type.Object({
    kind: Type.Literal(kind),
    at: Type.String(),
    commit: Type.String(),
    dimensions: Dimensions,
    conditions: Type.Object({}),
    throughput: Type.String(),
    settings: Type.Array(
      Type.Object({ point: Type.Array(Type.String()), throughput: Figure, p99Ms: Figure, cpuUsPerEvent: Figure }),
    ),
  }),
);

/** Reads the stored result of a sweep. Throws a TypeError of one line for any other file. */
export async function readSweepResult(file: string): Promise<SweepResult> {
  const text = await readFile(file, "utf8");
  const problem = problemIn(text, resultFile);
  if (problem === undefined) {
    const result: SweepResult = JSON.parse(text);
    return result;
  }
  throw new TypeError(
    `${file} is not the result of a sweep, which a sweep stores in its folder as result.json: ${problem}`,
  );
}

/** Throws a WrongUsage unless both sweeps have the same dimensions and at least one setting in common. */
export function checkComparable(
  ours: { readonly dimensions: readonly Dimension[]; readonly points: readonly Point[] },
  theirs: SweepResult,
): void {
  const names = (of: readonly Dimension[]): string => of.map(({ name }) => name).join(", ");
  if (names(ours.dimensions) !== names(theirs.dimensions))
    throw new WrongUsage(
      `--compare: expected a sweep over ${names(ours.dimensions)}, got one over ${names(theirs.dimensions)}`,
    );
  if (!ours.points.some((point) => theirs.settings.some((other) => isSame(other.point, point))))
    throw new WrongUsage("--compare: the two sweeps have no setting in common");
}

/** The medians of each setting divided by those of another sweep, where both have it. */
export function sweepRatios(ours: SweepResult, theirs: SweepResult): string {
  const lines = pairsOf(ours, theirs).map(([name, a, b]) => {
    const figures = [
      [ours.throughput, ratioOf(a.throughput, b.throughput)],
      ["p99 ms", ratioOf(a.p99Ms, b.p99Ms)],
      ["CPU µs/event", ratioOf(a.cpuUsPerEvent, b.cpuUsPerEvent)],
    ] as const;
    const mark = markOfSetting(a) || markOfSetting(b);
    return `${name}: ${figures.map(([figure, ratio]) => `${figure} ${ratio?.toFixed(2) ?? "unknown"}`).join(", ")}${mark}`;
  });
  return [
    `compared with the sweep of ${theirs.at}, commit ${theirs.commit}`,
    ...(ours.throughput === theirs.throughput
      ? []
      : [`different throughput: ${ours.throughput} here, ${theirs.throughput} there`]),
    ...differences(ours.conditions, theirs.conditions),
    ...lines,
    ...(lines.some((line) => line.endsWith(" *")) ? ["* disturbed: see the notes of the setting in both sweeps"] : []),
  ].join("\n");
}

/** One line for each setting in common whose median throughput is below this share of that of the other sweep, or unknown. */
export function slowerSettings(ours: SweepResult, theirs: SweepResult, failBelow: number): readonly string[] {
  return pairsOf(ours, theirs).flatMap(([name, a, b]) => {
    const ratio = ours.throughput === theirs.throughput ? ratioOf(a.throughput, b.throughput) : undefined;
    if (ratio !== undefined && ratio >= failBelow) return [];
    return [
      `${name}: ${ours.throughput} ${ratio?.toFixed(2) ?? "unknown"}, below ${failBelow}${markOfSetting(a) || markOfSetting(b)}`,
    ];
  });
}

function pairsOf(
  ours: SweepResult,
  theirs: SweepResult,
): readonly (readonly [string, SettingFigures, SettingFigures])[] {
  return ours.settings.flatMap((own) => {
    const other = theirs.settings.find(({ point }) => isSame(point, own.point));
    return other === undefined ? [] : [[nameOf(ours.dimensions, own.point), own, other] as const];
  });
}

function ratioOf(ours: Spread | null, theirs: Spread | null): number | undefined {
  return ours === null || theirs === null || theirs.median === 0 ? undefined : ours.median / theirs.median;
}
