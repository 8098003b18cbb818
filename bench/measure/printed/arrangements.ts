import type { SourceRun } from "@tally/domains/workloads";
import { designNames, designOf } from "../designs/designs.ts";
import { asItIs, type Arrangement, type PrintedRow } from "./printed-row.ts";
import type { PrintedSource } from "./printed-sources.ts";

/** A load of a source and what of ours runs it. */
export interface SourceTask {
  readonly load: SourceRun;
  /** The index of the load. */
  readonly run: number;
  readonly arrangement: Arrangement;
}

/** The row's arrangement of ours; undefined: tally does not repeat the row. */
export function arrangementOf({ beside }: PrintedRow): Arrangement | undefined {
  return "reason" in beside ? undefined : beside;
}

export function isSame(one: Arrangement, other: Arrangement): boolean {
  return one.design === other.design && one.durability === other.durability && one.gateways === other.gateways;
}

/** Such as "batched, persistent, 2 gateways"; without the durability where nothing is sent to the broker. `design` may be of another commit. */
export function nameOf({
  design,
  durability,
  gateways,
}: Readonly<Record<"design" | "durability", string>> & { readonly gateways: number }): string {
  const known = designNames.find((name) => name === design);
  const isSent = known === undefined || designOf(known).stores === "writer";
  return [design, ...(isSent ? [durability] : []), `${gateways} gateway${gateways === 1 ? "" : "s"}`].join(", ");
}

/** Every run that the rows of a source need: first tally as it is with each main load, then the arrangements of the rows. */
export function tasksOf({ loads, rows }: PrintedSource): readonly SourceTask[] {
  const main = loads.flatMap((load, run) => (load.isExtra === true ? [] : [{ load, run, arrangement: asItIs }]));
  const all: SourceTask[] = [...main];
  for (const row of rows) {
    const arrangement = arrangementOf(row);
    const run = loads.findIndex(({ description }) => description === row.load);
    const load = loads[run];
    if (arrangement === undefined || load === undefined) continue;
    if (!all.some((task) => task.run === run && isSame(task.arrangement, arrangement)))
      all.push({ load, run, arrangement });
  }
  return all;
}
