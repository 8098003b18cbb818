import { Type, type Static } from "typebox";
import { Compile } from "typebox/compile";
import { designNames, designOf } from "../designs/designs.ts";
import { isGood, type Report } from "../report.ts";
import { readers, type Arrangement } from "./printed-sources.ts";

const nullable = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);

/** A source's run, reduced to what the pages in docs/results show. */
export const StoredRun = Type.Object({
  /** S0 to S4. */
  source: Type.String(),
  /** The description of the load. */
  load: Type.String(),
  /** The share of the source's requests that was sent. */
  scale: Type.Number(),
  design: Type.String(),
  durability: Type.String(),
  /** null: of a system that the bench has not started; its design is unknown. */
  gateways: nullable(Type.Integer()),
  /** ISO 8601. */
  at: Type.String(),
  machine: Type.String(),
  commit: Type.String(),
  settings: Type.Record(Type.String(), Type.String()),
  seed: Type.Integer(),
  /** Whether other work used the machine; null: unknown. */
  isDisturbed: nullable(Type.Boolean()),
  /** All requests by the time at which the last event was ranked, without those of readers beside the load. null: it
   * did not drain. */
  perSecond: nullable(Type.Number()),
  /** Of POSTs, and of POST and GET together. */
  p99Ms: Type.Object({ post: nullable(Type.Number()), all: nullable(Type.Number()) }),
  /** Requests without a 2xx, retried ones included. */
  failed: Type.Integer(),
  /** Acknowledged events that are not stored, or stored twice; null: the design stores nothing. */
  lost: nullable(Type.Integer()),
  doubled: nullable(Type.Integer()),
  /** False also where events were left under way, or rankings and rows do not agree. */
  isGood: Type.Boolean(),
});
export type StoredRun = Static<typeof StoredRun>;
export const storedRuns = Compile(Type.Array(StoredRun));

/** Reduces a report; undefined: it is not of a source's run. */
export function storedRunOf(report: Report): StoredRun | undefined {
  const { source, errors, audit, gateways, disturbance } = report;
  if (source === null) return undefined;
  return {
    source: source.name,
    load: source.description,
    scale: source.scale,
    design: report.design,
    durability: report.durability,
    gateways,
    at: report.at,
    machine: report.machine,
    commit: report.commit,
    settings: report.settings,
    seed: report.seed,
    isDisturbed: disturbance.isDisturbed,
    perSecond: rateOf(report),
    p99Ms: { post: report.latencyMs?.p99 ?? null, all: report.requestsMs?.p99 ?? null },
    failed: errors.non2xx + errors.timeouts + errors.connections,
    lost: audit?.lost ?? null,
    doubled: audit?.doubled ?? null,
    isGood: isGood(report),
  };
}

/** All requests, divided by the time until the last event was ranked; where nothing is ranked, until the last response.
 */
function rateOf(report: Report): number | null {
  const { accepted, ranked, reads, groups, seconds } = report;
  // The sources do not count readers beside the load.
  const requests = accepted.events + (groups.some(({ name }) => name === readers) ? 0 : reads.requests);
  const isRanked = ranked.perSecond !== null && ranked.perSecond > 0;
  // The rate of acceptance is not that of a run which never drained.
  if (!isRanked && accepted.events > 0 && isRanking(report)) return null;
  return Math.round(requests / (isRanked ? accepted.events / (ranked.perSecond ?? 1) : seconds));
}

/** Whether the design ranks; that of a running system is unknown. A build is named after its design and commit. */
function isRanking({ design }: Report): boolean {
  const known = designNames.find((name) => name === design.split("@")[0]);
  if (known === undefined) return false;
  const { stores, ranks = true } = designOf(known);
  return stores !== "nothing" && ranks;
}

/** Whether a run lost and doubled nothing, and drained. */
export function isSound(run: StoredRun): boolean {
  return run.isGood && run.perSecond !== null;
}

/** Whether a run has this arrangement. */
export function isRunOf({ design, durability, gateways }: StoredRun, wanted: Arrangement): boolean {
  return design === wanted.design && durability === wanted.durability && gateways === wanted.gateways;
}

/** Compares two runs with the same load and arrangement: a sound one comes first, then an undisturbed one, then the one
 * with most requests, then the newest. */
export function bestFirst(a: StoredRun, b: StoredRun): number {
  const isNoisy = ({ isDisturbed }: StoredRun): number => Number(isDisturbed === true);
  return (
    Number(isSound(b)) - Number(isSound(a)) || isNoisy(a) - isNoisy(b) || b.scale - a.scale || b.at.localeCompare(a.at)
  );
}
