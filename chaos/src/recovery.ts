import { setTimeout as delay } from "node:timers/promises";
import { listBatches, placeAt, type LedgerPlace } from "@tally/ledger";
import type { Domain } from "@tally/pipeline";
import type { Aftermath } from "./kinds/fault-kind.ts";
import type { Load } from "./load/start-load.ts";
import type { Stand } from "./stand.ts";

/** Seconds from the end of a fault until an event of each domain that was sent then had come so far. */
export interface Recovery {
  /** Answered 2xx; by the gateway that was hit, if one was. */
  readonly accepted: number;
  readonly stored: number;
  readonly ranked: number;
  /** After Redis lost something: until everything that was stored before was counted again. */
  readonly equal: number | undefined;
  /** What was not as before in time, see patienceMs. */
  readonly late: readonly string[];
}

// Rankings that are built anew are summed up from all rows, while the load goes on.
const patienceMs = (events: number): number => 120_000 + (events / 1_000_000) * 60_000;
const lookEveryMs = 20;
const pageSize = 1000;

/** `pileUp`: does not wait until the rankings equal the rows again. `events`: how many are stored, about. */
export async function recovery(
  stand: Stand,
  load: Load,
  aftermath: Aftermath,
  { pileUp, events }: { readonly pileUp: boolean; readonly events: number },
): Promise<Recovery> {
  const { backAt } = aftermath;
  const deadline = performance.now() + patienceMs(events);
  const late: string[] = [];
  const since = (): number => (performance.now() - backAt) / 1000;
  const reached = async (what: string, check: () => Promise<boolean>): Promise<number> => {
    if (!(await until(deadline, check))) late.push(what);
    return since();
  };
  const equal = aftermath.redisLost === true && !pileUp ? reached("equal", equalAgain(stand)) : undefined;
  let accepted = 0;
  const probe = async (): Promise<readonly string[]> => {
    const ids = await load.probe(aftermath.gateway ?? 0);
    accepted = since();
    return ids;
  };
  const [ids] = await Promise.all([probe(), aftermath.started]);
  const all = async (place: "stored" | "ranked"): Promise<boolean> => {
    for (const id of ids) if ((await eventAt(stand, id))[place] !== true) return false;
    return true;
  };
  const stored = await reached("stored", () => all("stored"));
  const ranked = await reached("ranked", () => all("ranked"));
  return { accepted, stored, ranked, equal: await equal, late };
}

async function eventAt(stand: Stand, id: string): Promise<{ readonly stored?: unknown; readonly ranked?: unknown }> {
  const [url = ""] = stand.urls;
  try {
    const response = await fetch(`${url}/events/${id}`, { signal: AbortSignal.timeout(2000) });
    const answer: unknown = await response.json();
    return typeof answer === "object" && answer !== null ? answer : {};
  } catch {
    return {}; // what is hit may not answer yet: asked again
  }
}

/** Asks whether every batch of every domain that is stored by now is marked in rankings that can be trusted. */
function equalAgain(stand: Stand): () => Promise<boolean> {
  const checks = stand.domains.map((domain) => equalAgainOf(domain, stand));
  return async () => {
    for (const check of checks) if (!(await check())) return false;
    return true;
  };
}

function equalAgainOf(domain: Domain, { database, rankings }: Stand): () => Promise<boolean> {
  const now = Date.now();
  let place: LedgerPlace = placeAt(0);
  return async () => {
    if ((await rankings.state(domain.name)).name !== "whole") return false;
    for (;;) {
      const page = await listBatches(database.writer, domain.name, place, now, pageSize);
      if ((await rankings.unmarked(domain.name, page)).length > 0) return false;
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) return true;
      place = last;
    }
  };
}

/** Asks again and again; false when the time is up. What is hit may not answer: that is no. */
async function until(deadline: number, check: () => Promise<boolean>): Promise<boolean> {
  while (!(await check().catch(() => false))) {
    if (performance.now() > deadline) return false;
    await delay(lookEveryMs);
  }
  return true;
}
