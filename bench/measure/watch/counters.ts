import type { System } from "../open-system.ts";
import { metricsOf } from "./hops.ts";

/** Counters of the apps since their start. */
export interface Counters {
  /** Time of performance.now(). */
  readonly at: number;
  /** Events of committed transactions, and their batches. */
  readonly stored: number;
  readonly batches: number;
  /** Batches that are counted in the boards. */
  readonly ranked: number;
}

/** Costs 1 to 2 ms, half of it in the apps. */
export async function readCounters(system: Pick<System, "writerUrls" | "rankerUrls">): Promise<Counters> {
  const at = performance.now();
  const [writers, rankers] = await Promise.all([system.writerUrls, system.rankerUrls].map(metricsOf));
  return {
    at,
    stored: sumIn(writers, "tally_writer_events_total"),
    batches: sumIn(writers, "tally_writer_batches_total"),
    ranked: sumIn(rankers, "tally_ranker_batches_total"),
  };
}

/** The sum of a metric over all labels and services. */
function sumIn(text: string | undefined, name: string): number {
  let sum = 0;
  for (const line of text?.split("\n") ?? []) {
    if (!line.startsWith(name)) continue;
    const next = line[name.length];
    if (next === " " || next === "{") sum += Number(line.slice(line.lastIndexOf(" ") + 1));
  }
  return sum;
}
