import type { NamedValue } from "../kit/index.ts";
import { designNames, durabilityNames } from "./designs/designs.ts";
import { WrongUsage } from "./wrong-usage.ts";

/** A design and a durability, as `design` or `design:durability`; or a build, as `batched@commit`, with its hash, tag or
 * branch as `revision`. Throws a WrongUsage that lists the valid names. */
export function contenderNamed(name: string) {
  const at = name.indexOf("@");
  if (at >= 0) {
    const [build, revision] = [name.slice(0, at), name.slice(at + 1)];
    if (build !== "batched" || revision === "")
      throw new WrongUsage(`"${name}": expected batched@ and a commit; a build is started by its own launcher`);
    return { name, design: "batched", durability: "confirmed", revision } as const;
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
export function contendersNamed(names: readonly string[]) {
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new WrongUsage(`"${twice}" is named twice; --rounds sets how often each runs`);
  return names.map(contenderNamed);
}

/** Everything that a sweep can vary. The values of a setting are separated by commas. */
export interface Swept {
  readonly connections: readonly string[];
  readonly set: readonly NamedValue[];
}

/** Every combination of the values, those of the last setting varying fastest, each with a name such as "connections
 * 32, BATCH_EVERY_MS 4". Throws a WrongUsage unless a setting has several values, all different. */
export function combinationsOf({ connections, set }: Swept) {
  const settings = [
    { name: "connections", values: connections },
    ...set.map(([name, text]) => ({ name, values: text.split(",") })),
  ];
  for (const { name, values } of settings) {
    const twice = values.find((value, index) => values.indexOf(value) < index);
    if (twice !== undefined) throw new WrongUsage(`${name}: ${twice} is given twice`);
    if (settings.filter((other) => other.name === name).length > 1) throw new WrongUsage(`${name} is set twice`);
  }
  const varied = new Set(settings.flatMap(({ name, values }) => (values.length > 1 ? name : [])));
  if (varied.size === 0)
    throw new WrongUsage("expected a setting with several values, such as --connections 32,64,128; got none");
  const combinations = settings.reduce<readonly (readonly NamedValue[])[]>(
    (all, { name, values }) => all.flatMap((one) => values.map((value) => [...one, [name, value] as const])),
    [[]],
  );
  return combinations.map((chosen) => ({
    name: chosen.flatMap(([name, value]) => (varied.has(name) ? `${name} ${value}` : [])).join(", "),
    connections: Number(chosen[0]?.[1]),
    set: chosen.slice(1),
  }));
}
