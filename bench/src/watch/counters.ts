import type { System } from "../open-system.ts";

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

const stored = "tally_writer_events_total";
const batches = "tally_writer_batches_total";
const ranked = "tally_ranker_batches_total";

/** Costs 1 to 2 ms, half of it in the apps. */
export async function readCounters({
  writerUrls,
  rankerUrls,
}: Pick<System, "writerUrls" | "rankerUrls">): Promise<Counters> {
  const at = performance.now();
  const [writer, ranker] = await Promise.all([
    sumsOfMetrics(writerUrls, [stored, batches]),
    sumsOfMetrics(rankerUrls, [ranked]),
  ]);
  return {
    at,
    stored: writer.get(stored) ?? 0,
    batches: writer.get(batches) ?? 0,
    ranked: ranker.get(ranked) ?? 0,
  };
}

/** Sums of metrics over all labels and services. Sends one request to each service. */
async function sumsOfMetrics<N extends string>(
  urls: readonly string[],
  names: readonly N[],
): Promise<ReadonlyMap<N, number>> {
  const texts = await Promise.all(urls.map(async (url) => (await fetch(`${url}/metrics`)).text()));
  return new Map(names.map((name) => [name, texts.reduce((total, text) => total + sumIn(text, name), 0)]));
}

function sumIn(text: string, name: string): number {
  let sum = 0;
  for (const line of text.split("\n")) {
    if (!line.startsWith(name)) continue;
    const next = line[name.length];
    if (next === " " || next === "{") sum += Number(line.slice(line.lastIndexOf(" ") + 1));
  }
  return sum;
}
