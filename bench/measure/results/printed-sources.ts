import { workloads } from "../../kit/index.ts";
import { designNames, designOf } from "../designs/designs.ts";
import { asItIs, printedRows, scaled, scaledLoads } from "./printed-rows.ts";

/** The five sources, from S0 to S4: their loads, and every row that they print. */
export const printedSources = workloads
  .flatMap(({ domain, source }) =>
    source === undefined
      ? []
      : [{ name: source.name, domain, loads: source.runs, rows: printedRows[source.name] ?? [] }],
  )
  .toSorted((a, b) => a.name.localeCompare(b.name));

export type PrintedSource = (typeof printedSources)[number];

/** An arrangement, perhaps of another version. */
type Named = Readonly<Record<"design" | "durability", string>> & { readonly gateways: number };

/** Such as "batched, persistent, 2 gateways", another one for each arrangement; without the durability where nothing is
 * sent to the broker. `design` may be of another commit. */
export function nameOf({ design, durability, gateways }: Named): string {
  const known = designNames.find((name) => name === design);
  const isSent = known === undefined || designOf(known).stores === "writer";
  return [design, ...(isSent ? [durability] : []), `${gateways} gateway${gateways === 1 ? "" : "s"}`].join(", ");
}

/** Every run that the page of a source needs: first tally as it is with each main load, then the arrangements of the
 * rows, then those with the source's scaling rule. `run`: the index of the load. */
export function tasksOf({ name, loads, rows }: PrintedSource) {
  const all = loads.flatMap((load, run) => (load.isExtra === true ? [] : [{ load, run, arrangement: asItIs }]));
  const scaledRows = (scaledLoads[name] ?? []).map((load) => ({ load, beside: scaled }));
  for (const row of [...rows, ...scaledRows]) {
    const arrangement = row.beside;
    const run = loads.findIndex(({ description }) => description === row.load);
    const load = loads[run];
    if (typeof arrangement === "string" || load === undefined) continue;
    if (!all.some((task) => task.run === run && nameOf(task.arrangement) === nameOf(arrangement)))
      all.push({ load, run, arrangement });
  }
  return all;
}
