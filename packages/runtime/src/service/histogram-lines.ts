/** What documents say of a metric. */
export interface MetricDescription {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labelNames: readonly string[];
}

export interface HistogramSeries {
  readonly labels: Readonly<Record<string, string>>;
  /** Observations in each bucket, not cumulative: one more than there are bounds. */
  readonly counts: ArrayLike<number>;
  readonly sum: number;
}

/** A histogram that is counted without prom-client, as Prometheus text. Label values need no escapes: no quote, backslash or line break. */
export function histogramLines(
  { name, help }: MetricDescription,
  bounds: readonly number[],
  series: readonly HistogramSeries[],
): string {
  const lines = series.flatMap(({ labels, counts, sum }) => {
    const own = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    let upTo = 0;
    const buckets = [...bounds, "+Inf"].map((bound, index) => {
      upTo += counts[index] ?? 0;
      return `${name}_bucket{${[...own, `le="${bound}"`].join(",")}} ${upTo}`;
    });
    return [...buckets, `${name}_sum{${own.join(",")}} ${sum}`, `${name}_count{${own.join(",")}} ${upTo}`];
  });
  return [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`, ...lines, ""].join("\n");
}
