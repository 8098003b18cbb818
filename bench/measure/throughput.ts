import type { Report } from "./report.ts";

/** A rate by which runs are judged. null: unknown for a run. */
export interface ThroughputFigure {
  readonly name: string;
  readonly of: (report: Report) => number | null;
}

/** In this order: of ranked events; of accepted ones where rankings are unknown; of reads where nothing else was sent. */
const throughputs: readonly ThroughputFigure[] = [
  { name: "ranked /s", of: ({ accepted, ranked }) => (accepted.events === 0 ? null : ranked.perSecond) },
  { name: "accepted /s", of: ({ accepted }) => (accepted.events === 0 ? null : accepted.perSecond) },
  { name: "reads /s", of: ({ reads }) => (reads.requests === 0 ? null : reads.perSecond) },
];

/** The first figure that one of the runs has. A run without it has no throughput. */
export function throughputFigure(reports: readonly Report[]): ThroughputFigure {
  const found = throughputs.find(({ of }) => reports.some((report) => of(report) !== null));
  return found ?? { name: "accepted /s", of: ({ accepted }) => accepted.perSecond };
}

/** A line when the throughput of a run is below this share of that of another, or cannot be compared with it; undefined: it is not. */
export function slowerThan(ours: Report, theirs: Report, failBelow: number): string | undefined {
  const both = throughputs.find(({ of }) => of(ours) !== null && of(theirs) !== null);
  const [a, b] = [both?.of(ours) ?? 0, both?.of(theirs) ?? 0];
  const ratio = b === 0 ? undefined : a / b;
  if (ratio !== undefined && ratio >= failBelow) return undefined;
  const shown = ratio?.toFixed(2) ?? "unknown";
  return `this run / ${theirs.design}, ${theirs.at}: ${both?.name ?? "throughput"} ${shown}, below ${failBelow}`;
}
