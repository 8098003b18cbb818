import type { Report } from "../report.ts";

/** A run over time. One point for each `everySeconds`. */
export interface Series {
  readonly everySeconds: number;
  /** 2xx a second. */
  readonly perSecond: readonly number[];
  /** In ms, of POST and GET; null without a response. */
  readonly p50: readonly (number | null)[];
  /** The highest of the point's seconds. */
  readonly p99: readonly (number | null)[];
  /** The deepest queue. */
  readonly queued: readonly (number | null)[];
}

// As many as a plot can show.
const pointsMax = 200;

export function seriesOf({ perSecond, observations }: Pick<Report, "perSecond" | "observations">): Series {
  const everySeconds = Math.max(1, Math.ceil(perSecond.length / pointsMax));
  const points = Array.from({ length: Math.ceil(perSecond.length / everySeconds) }, (_, point) => {
    const from = point * everySeconds;
    const seconds = perSecond.slice(from, from + everySeconds);
    const during = observations.filter(({ second }) => second >= from && second < from + everySeconds);
    const through = seconds.reduce((sum, { accepted, read }) => sum + accepted + read, 0);
    return {
      perSecond: Math.round(through / seconds.length),
      p50: rounded(meanOf(seconds.flatMap(({ p50 }) => p50 ?? []))),
      p99: rounded(highestOf(seconds.flatMap(({ p99 }) => p99 ?? []))),
      queued: highestOf(during.map(({ queued }) => queued)),
    };
  });
  return {
    everySeconds,
    perSecond: points.map((point) => point.perSecond),
    p50: points.map(({ p50 }) => p50),
    p99: points.map(({ p99 }) => p99),
    queued: points.map(({ queued }) => queued),
  };
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function highestOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.max(...values);
}

function rounded(value: number | null): number | null {
  return value === null ? null : Number(value.toFixed(1));
}
