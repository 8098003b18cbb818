import type { PrintedLatency, PrintedRow, RequestKind } from "../printed/printed-row.ts";
import type { StoredRun } from "./stored-run.ts";

/** What a printed row and a run of ours have in common. */
export interface Figures {
  readonly perSecond?: number | null | undefined;
  readonly wallSeconds?: number | null | undefined;
  readonly latencies: readonly PrintedLatency[];
  readonly littlesLawPerSecond?: number | null | undefined;
  readonly queueMax?: number | null | undefined;
}

/** A column of the tables. */
export interface Column {
  readonly name: string;
  readonly of: (figures: Figures) => number | undefined;
  readonly digits: number;
}

const kinds: readonly RequestKind[] = ["POST", "GET", "all"];
const ofLatency = [
  ["mean ms", ({ mean }) => mean, 1],
  ["median ms", ({ p50 }) => p50, 1],
  ["p95 ms", ({ p95 }) => p95, 1],
  ["p99 ms", ({ p99 }) => p99, 1],
  ["min ms", ({ min }) => min, 1],
  ["max ms", ({ max }) => max, 0],
  ["succeeded", ({ succeeded }) => succeeded, 0],
] as const satisfies readonly (readonly [string, (latency: PrintedLatency) => number | undefined, number])[];

/** The rate, by which rows are compared first. */
export const rateColumn: Column = { name: "requests/s", of: ({ perSecond }) => perSecond ?? undefined, digits: 0 };

const columns: readonly Column[] = [
  rateColumn,
  { name: "wall s", of: ({ wallSeconds }) => wallSeconds ?? undefined, digits: 1 },
  ...kinds.flatMap((kind) =>
    ofLatency.map(([name, of, digits]) => ({
      name: kind === "all" ? name : `${kind} ${name}`,
      of({ latencies }: Figures) {
        const latency = latencies.find((one) => one.of === kind);
        return latency && of(latency);
      },
      digits,
    })),
  ),
  { name: "Little's law /s", of: ({ littlesLawPerSecond }) => littlesLawPerSecond ?? undefined, digits: 0 },
  { name: "queue max", of: ({ queueMax }) => queueMax ?? undefined, digits: 0 },
];

/** The columns for which a source prints at least one value. */
export function columnsOf(rows: readonly PrintedRow[]): readonly Column[] {
  return columns.filter(({ of }) => rows.some((row) => of(row) !== undefined));
}

/** The figures of a run that compare with printed ones: a part of the load has neither their wall time nor their number of requests. */
export function comparableFigures(run: StoredRun): Figures {
  if (run.scale === 1) return run;
  const latencies = run.latencies.map(({ succeeded, ...latency }): PrintedLatency => {
    void succeeded;
    return latency;
  });
  return { ...run, wallSeconds: undefined, latencies };
}

/** Such as "4,293" or "0.4"; undefined: "". */
export function shown(value: number | undefined, digits: number): string {
  if (value === undefined) return "";
  return value.toLocaleString("en", { maximumFractionDigits: digits });
}
