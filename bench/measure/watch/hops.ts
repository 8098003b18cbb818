import type { System } from "../open-system.ts";

/** How long the batches of a load took for one hop; buckets as in /metrics. */
export interface Hop {
  readonly name: string;
  readonly batches: number;
  /** Interpolated within their bucket. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Batches that took up to `ms`, and longer than the bucket before; null: without a limit. */
  readonly buckets: readonly { readonly ms: number | null; readonly batches: number }[];
}

/** Name of a hop → upper bound of a bucket in s, Infinity at last → batches up to it. */
export type HopCounts = ReadonlyMap<string, ReadonlyMap<number, number>>;

const sealed = "tally_gateway_hop_seconds_bucket";

/** From request to rankings. Each batch is measured by its oldest event, each transaction by its oldest batch. */
const hops = [
  { name: "received to sealed", app: "gateway", metric: sealed, label: 'hop="received-sealed"' },
  { name: "sealed to confirmed", app: "gateway", metric: sealed, label: 'hop="sealed-confirmed"' },
  { name: "confirmed to responded", app: "gateway", metric: sealed, label: 'hop="confirmed-responded"' },
  { name: "sealed to stored", app: "writer", metric: "tally_writer_stored_after_seconds_bucket", label: "" },
  { name: "stored to ranked", app: "ranker", metric: "tally_ranker_ranked_after_seconds_bucket", label: "" },
] as const;

/** Reads the histograms of all apps of a system. Costs some ms. */
export async function readHops(system: Pick<System, "operatorUrls" | "writerUrls" | "rankerUrls">): Promise<HopCounts> {
  const { operatorUrls: gateway, writerUrls: writer, rankerUrls: ranker } = system;
  const texts = { gateway: await metricsOf(gateway), writer: await metricsOf(writer), ranker: await metricsOf(ranker) };
  return new Map(hops.map(({ name, app, metric, label }) => [name, countsIn(texts[app], metric, label)]));
}

/** The hops between two readings. Omits hops without batches. */
export function hopsBetween(before: HopCounts, after: HopCounts): readonly Hop[] {
  return [...after].flatMap(([name, counts]) => {
    let below = 0;
    const buckets = [...counts]
      .toSorted(([a], [b]) => a - b)
      .map(([bound, count]) => {
        const upTo = count - (before.get(name)?.get(bound) ?? 0);
        const batches = upTo - below;
        below = upTo;
        return { ms: bound === Infinity ? null : bound * 1000, batches };
      });
    if (below === 0) return [];
    return [
      { name, batches: below, p50Ms: quantile(buckets, below / 2), p99Ms: quantile(buckets, below * 0.99), buckets },
    ];
  });
}

/** All apps of one kind in one text. */
export async function metricsOf(urls: readonly string[]): Promise<string> {
  const texts = await Promise.all(urls.map(async (url) => (await fetch(`${url}/metrics`)).text()));
  return texts.join("\n");
}

function countsIn(text: string, metric: string, label: string): Map<number, number> {
  const counts = new Map<number, number>();
  for (const line of text.split("\n")) {
    if (!line.startsWith(`${metric}{`) || !line.includes(label)) continue;
    const bound = /le="([^"]+)"/.exec(line)?.[1];
    const key = bound === "+Inf" ? Infinity : Number(bound);
    counts.set(key, (counts.get(key) ?? 0) + Number(line.slice(line.lastIndexOf(" ") + 1)));
  }
  return counts;
}

// As Prometheus does it: the last bucket has no upper bound, so its lower one is returned.
function quantile(buckets: Hop["buckets"], rank: number): number {
  let below = 0;
  let lower = 0;
  for (const { ms, batches } of buckets) {
    if (below + batches >= rank && batches > 0)
      return ms === null ? lower : Math.round((lower + ((ms - lower) * (rank - below)) / batches) * 10) / 10;
    below += batches;
    lower = ms ?? lower;
  }
  return lower;
}
