import type { Disturbance } from "../machine/disturbance.ts";
import { Type, type TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { designNames, designOf } from "../designs/designs.ts";
import { readers } from "../printed/printed-sources.ts";
import type { PrintedLatency } from "../printed/printed-row.ts";
import { isGood, type Latency, type Report } from "../report.ts";
import { seriesOf, type Series } from "./series.ts";

/** A source's run, reduced to what the pages in docs/results show. */
export interface StoredRun {
  /** S0 to S4. */
  readonly source: string;
  /** The description of the load. */
  readonly load: string;
  readonly scale: number;
  readonly design: string;
  readonly durability: string;
  /** null: of a system that the bench has not started; its design is unknown. */
  readonly gateways: number | null;
  readonly runId: string;
  /** ISO 8601. */
  readonly at: string;
  readonly machine: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly commit: string;
  /** Of the apps, beside those of the design. */
  readonly settings: Readonly<Record<string, string>>;
  readonly seed: number;
  readonly connections: number;
  /** Whether other work used the machine; null: unknown. */
  readonly isDisturbed: boolean | null;
  /** Of the CPU time of all cores until everything was ranked. null: unknown. */
  readonly foreignPercent: number | null;
  readonly stealPercent: number | null;
  /** A step of the calibration loop before the load, and its change until all was ranked. null: unknown. */
  readonly calibration: { readonly beforeNs: number; readonly changePercent: number } | null;
  /** From the first request until all was ranked; where the design ranks nothing, until the last response. null: it did not drain. */
  readonly wallSeconds: number | null;
  /** All requests by that time, without those of readers beside the load. */
  readonly perSecond: number | null;
  /** POSTs, GETs and both, as far as there were any; with mean, median, percentiles and counts. */
  readonly latencies: readonly PrintedLatency[];
  readonly phases: readonly { readonly name: string; readonly connections: number; readonly seconds: number }[];
  readonly littlesLawPerSecond: number | null;
  readonly queueMax: number | null;
  /** Requests without a 2xx, retried ones included. */
  readonly failed: number;
  /** Acknowledged events that are not stored, or stored twice; null: the design stores nothing. */
  readonly lost: number | null;
  readonly doubled: number | null;
  /** False also where events were left under way, or rankings and rows do not agree. */
  readonly isGood: boolean;
  readonly series: Series;
  readonly histogram: Report["histogram"];
}

const nullable = (schema: TSchema) => Type.Union([Type.Null(), schema]);
const values = Type.Array(nullable(Type.Number()));

/** Of a stored run: what the pages need to be built. */
export const StoredRunSchema = Type.Object({
  source: Type.String(),
  load: Type.String(),
  scale: Type.Number(),
  design: Type.String(),
  durability: Type.String(),
  gateways: nullable(Type.Integer()),
  at: Type.String(),
  machine: Type.String(),
  versions: Type.Record(Type.String(), Type.String()),
  commit: Type.String(),
  settings: Type.Record(Type.String(), Type.String()),
  isDisturbed: nullable(Type.Boolean()),
  foreignPercent: nullable(Type.Number()),
  stealPercent: nullable(Type.Number()),
  calibration: nullable(Type.Object({ beforeNs: Type.Number(), changePercent: Type.Number() })),
  wallSeconds: nullable(Type.Number()),
  perSecond: nullable(Type.Number()),
  latencies: Type.Array(Type.Object({ of: Type.Enum(["POST", "GET", "all"]) })),
  phases: Type.Array(Type.Object({ name: Type.String(), connections: Type.Number(), seconds: Type.Number() })),
  failed: Type.Number(),
  lost: nullable(Type.Number()),
  doubled: nullable(Type.Number()),
  isGood: Type.Boolean(),
  series: Type.Object({ everySeconds: Type.Number(), perSecond: values, p50: values, p99: values }),
});
export const storedRun = Compile(StoredRunSchema);

/** Reduces a report; undefined: it is not of a source's run. */
export function storedRunOf(report: Report): StoredRun | undefined {
  const { source, reads, accepted, errors, groups, audit, gateways, disturbance = null } = report;
  if (source === null) return undefined;
  const { perSecond, wallSeconds } = rateOf(report);
  return {
    source: source.name,
    load: source.description,
    scale: source.scale,
    design: report.design,
    durability: report.durability,
    gateways,
    runId: report.runId,
    at: report.at,
    machine: report.machine,
    versions: report.versions,
    commit: report.commit,
    settings: report.settings,
    seed: report.seed,
    connections: report.connections,
    // Reports of an earlier bench do not know it.
    isDisturbed: disturbance?.isDisturbed ?? null,
    foreignPercent: disturbance?.foreign?.percent ?? null,
    stealPercent: disturbance?.steal?.percent ?? null,
    calibration: disturbance && calibrationOf(disturbance),
    wallSeconds,
    perSecond,
    latencies: [
      ...latencyLine("POST", report.latencyMs, accepted.events),
      ...latencyLine("GET", reads.latencyMs, reads.requests),
      ...latencyLine("all", report.requestsMs ?? null, accepted.events + reads.requests),
    ],
    phases: groups.map(({ name, connections, begun, ended }) => ({
      name,
      connections,
      seconds: Number((ended - begun).toFixed(2)),
    })),
    littlesLawPerSecond: report.littlesLaw.expectedPerSecond,
    queueMax: report.queue.max,
    failed: errors.non2xx + errors.timeouts + errors.connections,
    lost: audit?.lost ?? null,
    doubled: audit?.doubled ?? null,
    isGood: isGood(report),
    series: seriesOf(report),
    histogram: report.histogram,
  };
}

function calibrationOf({ calibration: { beforeNs, changePercent } }: Disturbance): StoredRun["calibration"] {
  return { beforeNs, changePercent };
}

/** Whether a run lost and doubled nothing, and drained. */
export function isSound(run: StoredRun): boolean {
  return run.isGood && run.perSecond !== null;
}

/** Compares two runs with the same load and arrangement: a good one comes before others, then an undisturbed one, then the one with most requests, then the newest. */
export function bestFirst(a: StoredRun, b: StoredRun): number {
  const isNoisy = ({ isDisturbed }: StoredRun): number => Number(isDisturbed === true);
  return (
    Number(isSound(b)) - Number(isSound(a)) || isNoisy(a) - isNoisy(b) || b.scale - a.scale || b.at.localeCompare(a.at)
  );
}

/** All requests, divided by the time until the last event was ranked; where nothing is ranked, until the last response. */
function rateOf(report: Report): Pick<StoredRun, "perSecond" | "wallSeconds"> {
  const { accepted, ranked, reads, groups, seconds } = report;
  // The sources do not count readers beside the load.
  const requests = accepted.events + (groups.some(({ name }) => name === readers) ? 0 : reads.requests);
  const isRanked = ranked.perSecond !== null && ranked.perSecond > 0;
  // The rate of acceptance is not that of a run which never drained.
  if (!isRanked && accepted.events > 0 && isRanking(report)) return { perSecond: null, wallSeconds: null };
  const wallSeconds = isRanked ? accepted.events / (ranked.perSecond ?? 1) : seconds;
  return { perSecond: Math.round(requests / wallSeconds), wallSeconds: Number(wallSeconds.toFixed(2)) };
}

/** Whether the design ranks; that of a running system is unknown. A build is named after its design and commit. */
function isRanking({ design }: Report): boolean {
  const known = designNames.find((name) => name === design.split("@")[0]);
  if (known === undefined) return false;
  const { stores, ranks = true } = designOf(known);
  return stores !== "nothing" && ranks;
}

function latencyLine(of: PrintedLatency["of"], latency: Latency | null, succeeded: number): readonly PrintedLatency[] {
  if (latency === null) return [];
  const { mean, min, p50, p95, p99, max } = latency;
  return [{ of, mean, p50, p95, p99, min, max, succeeded }];
}
