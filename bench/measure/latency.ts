import { quantile } from "../kit/index.ts";
import { merged } from "./load/recorder.ts";

/** In ms, measured in µs: times of 2xx responses, and for how long requests had waited that timed out. */
export type Latency = NonNullable<ReturnType<typeof latencyOf>>;

/** Times of single events that were followed, in ms from sending the request. */
export type Spans = NonNullable<ReturnType<typeof spansOf>>;

/** For all requests in these histograms of a recorder; null without any. */
export function latencyOf(...encoded: readonly string[]) {
  const histogram = merged(encoded);
  if (histogram.totalCount === 0) return null;
  const at = (percentile: number): number => histogram.getValueAtPercentile(percentile) / 1000;
  return {
    mean: round(histogram.mean / 1000, 3),
    min: histogram.minNonZeroValue / 1000,
    p50: at(50),
    p95: at(95),
    p99: at(99),
    p999: at(99.9),
    max: histogram.maxValue / 1000,
  };
}

/** null without values. */
export function spansOf(values: readonly number[]) {
  if (values.length === 0) return null;
  const at = (share: number): number => round(quantile(values, share), 1);
  return { samples: values.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** Returns 0 for NaN and infinity, such as a rate over 0 s. */
export function round(value: number, digits: number): number {
  return Number.isFinite(value) ? Number(value.toFixed(digits)) : 0;
}
