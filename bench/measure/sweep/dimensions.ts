import { WrongUsage } from "../wrong-usage.ts";

/** A setting of the load or of the apps, and the values that a sweep gives it, in their order. */
export interface Dimension {
  /** As on the command line without dashes, or the name of a variable of the apps. */
  readonly name: string;
  readonly values: readonly string[];
}

/** Everything that can have several values. `set`: texts such as `NAME=a,b`. */
export interface Swept {
  readonly connections: readonly string[];
  readonly gateways: readonly string[];
  readonly set: readonly string[];
}

/**
 * What a sweep varies, and the rest with one value each. Throws a WrongUsage unless one or two settings have several
 * values, all different.
 */
export function settingsOf({ connections, gateways, set }: Swept) {
  const all: readonly Dimension[] = [
    { name: "connections", values: connections },
    { name: "gateways", values: gateways },
    ...set.map((text) => {
      const name = text.slice(0, text.indexOf("="));
      return { name, values: text.slice(name.length + 1).split(",") };
    }),
  ];
  for (const { name, values } of all) {
    const twice = values.find((value, index) => values.indexOf(value) < index);
    if (twice !== undefined) throw new WrongUsage(`${name}: ${twice} is given twice`);
    if (all.filter((other) => other.name === name).length > 1) throw new WrongUsage(`${name} is set twice`);
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
export function pointsOf(dimensions: readonly Dimension[]): readonly Point[] {
  return dimensions.reduce<readonly Point[]>(
    (points, { values }) => points.flatMap((point) => values.map((value) => [...point, value])),
    [[]],
  );
}

/** Such as `connections 32, WRITER_PREFETCH 8`. */
export function nameOf(dimensions: readonly Dimension[], point: Point): string {
  return dimensions.map(({ name }, index) => `${name} ${point[index]}`).join(", ");
}

/**
 * Negative where `a` is the smaller setting: its first value that differs is the smaller number, or stands first in
 * its list.
 */
export function compareSettings(dimensions: readonly Dimension[], a: Point, b: Point): number {
  for (const [index, { values }] of dimensions.entries()) {
    const [first = "", second = ""] = [a[index], b[index]];
    if (first === second) continue;
    const areNumbers = values.every((value) => value !== "" && Number.isFinite(Number(value)));
    return areNumbers ? Number(first) - Number(second) : values.indexOf(first) - values.indexOf(second);
  }
  return 0;
}
