import { Type } from "typebox";
import { WrongUsage } from "../wrong-usage.ts";

/** A setting of the load or of the apps, and the values that a sweep gives it, in their order. */
export interface Dimension {
  /** As on the command line without dashes, or the name of a variable. */
  readonly name: string;
  /** The variable of the apps; absent: a flag of the load. */
  readonly variable?: string;
  readonly values: readonly string[];
}

/** Of stored sweeps. */
export const Dimensions = Type.Array(
  Type.Object({
    name: Type.String(),
    variable: Type.Optional(Type.String()),
    values: Type.Array(Type.String(), { minItems: 1 }),
  }),
);

/** Flags of a sweep that stand for a variable of the apps. */
const variables = {
  writerThreads: ["writer-threads", "WRITER_THREADS"],
  prefetch: ["prefetch", "WRITER_PREFETCH"],
  batchEvents: ["batch-events", "BATCH_EVENTS_MAX"],
  transactionEvery: ["transaction-every", "WRITER_TRANSACTION_EVERY_MS"],
  shards: ["shards", "RANKING_SHARDS"],
} as const;

/** Their values. */
export type SweptSettings = { readonly [flag in keyof typeof variables]?: readonly string[] };

/** Everything that can have several values. `set`: texts such as `NAME=a,b`. */
export interface Swept extends SweptSettings {
  readonly connections: readonly string[];
  readonly gateways: readonly string[];
  readonly set: readonly string[];
}

/** What a sweep varies, and the values of the rest. */
export interface Settings {
  readonly dimensions: readonly Dimension[];
  /** With one value each. */
  readonly fixed: readonly Dimension[];
}

/** Throws a WrongUsage unless one or two settings have several values, all different. */
export function settingsOf(swept: Swept): Settings {
  const all: readonly Dimension[] = [
    { name: "connections", values: swept.connections },
    { name: "gateways", values: swept.gateways },
    // The keys of an object literal are its own.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    ...(Object.keys(variables) as readonly (keyof typeof variables)[]).flatMap((flag) => {
      const [name, variable] = variables[flag];
      return swept[flag] === undefined ? [] : [{ name, variable, values: swept[flag] }];
    }),
    ...swept.set.map((text) => {
      const [name, values] = [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)];
      return { name, variable: name, values: values.split(",") };
    }),
  ];
  for (const { name, variable, values } of all) {
    const twice = values.find((value, index) => values.indexOf(value) < index);
    if (twice !== undefined) throw new WrongUsage(`${name}: ${twice} is given twice`);
    if (variable === undefined && values.includes("0"))
      throw new WrongUsage(`--${name}: expected whole numbers from 1 on`);
    if (variable !== undefined && all.filter((other) => other.variable === variable).length > 1)
      throw new WrongUsage(`${variable} is set twice`);
  }
  const dimensions = all.filter(({ values }) => values.length > 1);
  if (dimensions.length === 0 || dimensions.length > 2) {
    const got = dimensions.length === 0 ? "none" : dimensions.map(({ name }) => name).join(", ");
    throw new WrongUsage(
      `expected one or two settings with several values, such as --connections 32,64,128; got ${got}`,
    );
  }
  return { dimensions, fixed: all.filter(({ values }) => values.length === 1) };
}

/** One value for each dimension. */
export type Point = readonly string[];

/** Every combination of values; the last dimension varies fastest. */
export function pointsOf(dimensions: readonly Pick<Dimension, "values">[]): readonly Point[] {
  return dimensions.reduce<readonly Point[]>(
    (points, { values }) => points.flatMap((point) => values.map((value) => [...point, value])),
    [[]],
  );
}

/** Such as `connections 32, prefetch 8`. */
export function nameOf(dimensions: readonly Pick<Dimension, "name">[], point: Point): string {
  return dimensions.map(({ name }, index) => `${name} ${point[index]}`).join(", ");
}

/** Negative where `a` is the smaller setting: its first value that differs is the smaller number, or stands first in its list. */
export function compareSettings(dimensions: readonly Dimension[], a: Point, b: Point): number {
  for (const [index, { values }] of dimensions.entries()) {
    const [first = "", second = ""] = [a[index], b[index]];
    if (first === second) continue;
    const areNumbers = values.every((value) => value !== "" && Number.isFinite(Number(value)));
    return areNumbers ? Number(first) - Number(second) : values.indexOf(first) - values.indexOf(second);
  }
  return 0;
}
