import type { System } from "../open-system.ts";
import { sumsOfMetrics } from "./metrics.ts";

/** What the tiers themselves have counted since they started. */
export interface Counters {
  /** Of performance.now(). */
  readonly at: number;
  /** Events whose transaction is committed, and the batches that they came in. */
  readonly stored: number;
  readonly batches: number;
  /** Batches that the boards have. */
  readonly ranked: number;
}

const stored = "tally_writer_events_total";
const batches = "tally_writer_batches_total";
const ranked = "tally_ranker_batches_total";

/** Costs a millisecond or two, half of it the tiers'. */
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
