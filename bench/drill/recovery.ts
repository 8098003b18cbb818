import { setTimeout as delay } from "node:timers/promises";
import { eventState, type Thread } from "../kit/index.ts";
import { findMissing, listBatches, placeAt, type LedgerPlace } from "@tally/database";
import { until } from "@tally/local";
import type { Aftermath } from "./kinds/fault-kind.ts";
import type { LoadCalls } from "./load/thread.ts";
import type { LostCommits } from "./lost-commits.ts";
import type { System } from "./system.ts";

// A rebuild of the rankings reads all rows while the load continues.
const patienceMs = (events: number): number => 120_000 + (events / 1_000_000) * 60_000;
const lookEveryMs = 20;
const pageSize = 1000;

interface RecoveryOptions {
  /** A gateway, which is asked for the state of the new events. */
  readonly url: string;
  /** About how many events are stored. */
  readonly events: number;
  /** Whether the rankings equal the rows again; undefined: the recovery does not wait for it. */
  readonly isEqual?: (() => Promise<boolean>) | undefined;
  readonly heldAfterMs?: number;
  /** For each step but `equal`. */
  readonly withinMs?: number;
  /** Counts from the end of the fault. */
  readonly equalWithinMs?: number;
}

/** Waits until one new event of each domain is ranked. After `heldAfterMs` it holds the load until then: a slow machine
 * may store fewer events than it accepts, so that each new event waits longer than the one before. Returns seconds from
 * the end of the fault. `accepted`: by the gateway that was hit, if one was. `equal`: after Redis or the database lost
 * writes, until the rankings equal the rows again. `heldAfter`: until the load was held; undefined if it was not.
 * `late`: which of these were not reached within `withinMs` or `equalWithinMs`. Throws when the gateway accepts nothing
 * in that time. */
export async function recovery(
  load: Pick<Thread<LoadCalls>, "call">,
  { backAt, gateway = 0, started }: Pick<Aftermath, "backAt" | "gateway" | "started">,
  {
    url,
    events,
    isEqual,
    heldAfterMs = 10_000,
    equalWithinMs = 60_000,
    withinMs = patienceMs(events),
  }: RecoveryOptions,
) {
  const deadline = performance.now() + withinMs;
  const late: string[] = [];
  const since = (): number => (performance.now() - backAt) / 1000;
  // What was hit may not respond yet: a check that throws counts as false.
  const isTrueBy = (at: number, check: () => Promise<boolean>): Promise<boolean> =>
    until(() => check().catch(() => false), { withinMs: at - performance.now(), everyMs: lookEveryMs });
  const reached = async (what: string, check: () => Promise<boolean>, by = deadline): Promise<number> => {
    if (!(await isTrueBy(by, check)) || performance.now() > by) late.push(what);
    return since();
  };
  const equal = isEqual && reached("equal", isEqual, backAt + equalWithinMs);
  let accepted = 0;
  const probe = async (): Promise<readonly string[]> => {
    const ids = await load.call("probe", gateway);
    accepted = since();
    return ids;
  };
  const tooLate = delay(withinMs, undefined, { ref: false }).then(() => {
    throw new Error(`gateway ${gateway + 1} accepts no new event of each domain within ${withinMs / 1000} s`);
  });
  const [ids] = await Promise.race([Promise.all([probe(), started]), tooLate]);
  const all = async (place: "stored" | "ranked"): Promise<boolean> => {
    for (const id of ids) if (!(await eventState(url, id, 2000))[place]) return false;
    return true;
  };
  const heldAt = performance.now() + heldAfterMs;
  let heldAfter: number | undefined;
  const reachedOrHeld = async (place: "stored" | "ranked"): Promise<number> => {
    if (heldAfter === undefined && !(await isTrueBy(heldAt, () => all(place)))) {
      heldAfter = since();
      await load.call("hold", true);
    }
    return reached(place, () => all(place));
  };
  const stored = await reachedOrHeld("stored");
  const ranked = await reachedOrHeld("ranked");
  if (heldAfter !== undefined) await load.call("hold", false);
  return { accepted, stored, ranked, equal: await equal, heldAfter, late };
}

/** A check whether all batches that are stored now are marked in complete rankings, and no lost one is. */
export function equalAgain({ domains, database, rankings }: System, lost?: LostCommits): () => Promise<boolean> {
  const places = new Map(domains.map(({ name }): [string, LedgerPlace] => [name, placeAt(0)]));
  const isEqual = async (domain: string, from: LedgerPlace): Promise<boolean> => {
    if ((await rankings.state(domain)).name !== "whole") return false;
    for (let place = from; ;) {
      const page = await listBatches(database.writer, domain, place, Number.MAX_SAFE_INTEGER, pageSize);
      if ((await rankings.unmarked(domain, page)).length > 0) return false;
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) return true;
      place = last;
      places.set(domain, place);
    }
  };
  return async () => {
    for (const { domain, batches } of lost?.domains ?? []) {
      const missing = await findMissing(database.writer, domain.name, batches);
      if ((await rankings.unmarked(domain.name, missing)).length < missing.length) return false;
    }
    for (const [domain, place] of places) if (!(await isEqual(domain, place))) return false;
    return true;
  };
}
