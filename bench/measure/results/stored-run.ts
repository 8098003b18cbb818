import { designNames, designOf } from "../designs/designs.ts";
import { isGood, type Report } from "../report.ts";

/** A source's run, reduced to what the pages in docs/results show. */
export type StoredRun = NonNullable<ReturnType<typeof storedRunOf>>;

/** Reduces a report; undefined: it is not of a source's run. */
export function storedRunOf(report: Report) {
  const { source, audit, gateways, disturbance } = report;
  if (source === null) return undefined;
  return {
    source: source.name,
    load: source.description,
    /** The share of the source's requests that was sent. */
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
    /** Without the requests of readers beside the load. null: it did not drain. */
    perSecond: rateOf(report),
    /** The p99 of POSTs, and of POST and GET together. */
    p99Ms: { post: report.latencyMs?.p99 ?? null, all: report.requestsMs?.p99 ?? null },
    /** Acknowledged events that are not stored, or stored twice; null: the design stores nothing. */
    lost: audit?.lost ?? null,
    doubled: audit?.doubled ?? null,
    /** False also where events were left under way, or rankings and rows do not agree. */
    isGood: isGood(report),
    scaled: report.scaled,
  };
}

/** All requests, divided by the time until the last event was ranked; where nothing is ranked, until the last response.
 */
function rateOf({ accepted, ranked, reads, groups, seconds, design }: Report): number | null {
  // The sources do not count readers beside the load.
  const requests = accepted.events + (groups.some(({ name }) => name === "readers") ? 0 : reads.requests);
  const isRanked = ranked.perSecond !== null && ranked.perSecond > 0;
  const isRanking = designNames.some((name) => name === design && designOf(name).stores !== "nothing");
  // The rate of acceptance is not that of a run which never drained.
  if (!isRanked && accepted.events > 0 && isRanking) return null;
  return Math.round(requests / (isRanked ? accepted.events / (ranked.perSecond ?? 1) : seconds));
}

/** Whether a run lost and doubled nothing, and drained. */
export function isSound(run: StoredRun): boolean {
  return run.isGood && run.perSecond !== null;
}

/** Compares two runs with the same load and arrangement: a sound one comes first, then an undisturbed one, then the one
 * with most requests, then the newest. */
export function bestFirst(a: StoredRun, b: StoredRun): number {
  return (
    Number(isSound(b)) - Number(isSound(a)) ||
    Number(a.isDisturbed) - Number(b.isDisturbed) ||
    b.scale - a.scale ||
    b.at.localeCompare(a.at)
  );
}
