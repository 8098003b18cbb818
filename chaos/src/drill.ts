import { rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { Domain } from "@tally/pipeline";
import type { AuditReport } from "@tally/reconcile";
import { checkContents, type ContentCheck } from "./check-contents.ts";
import { contentDifferences, differences, lateness } from "./differences.ts";
import type { Sabotage } from "./inside/sabotages.ts";
import type { FaultKind } from "./kinds/fault-kind.ts";
import { allIdsFile } from "./load/id-files.ts";
import { startLoad, type Load } from "./load/start-load.ts";
import type { Figures, Totals } from "./load/protocol.ts";
import { countLost, type LostOfDomain } from "./lost.ts";
import { recovery, type Recovery } from "./recovery.ts";
import { countDeadLetters, runAudit } from "./run-audit.ts";
import { scheduleOf, type ScheduledFault } from "./schedule.ts";
import { openStand, type Stand } from "./stand.ts";

export interface DrillOptions {
  readonly root: string;
  /** Deleted at the end, unless something is wrong. */
  readonly directory: string;
  /** Those that get load and are hit. */
  readonly domains: readonly Domain[];
  readonly seed: number;
  readonly faults: number;
  readonly kinds: readonly FaultKind[];
  readonly eventsPerSecond: number;
  /** How long there is load before the first fault. */
  readonly warmUpSeconds: number;
  /** "wide": boards as large as they can get; to build them anew takes its time. */
  readonly spread: "narrow" | "wide";
  /** The next fault does not wait until the rankings equal the rows again. */
  readonly pileUp: boolean;
  readonly sabotage?: Sabotage | undefined;
  readonly say: (line: string) => void;
  /** Told of each fault when it is over. */
  readonly onFault: (outcome: FaultOutcome, number: number) => void;
  readonly signal: AbortSignal;
}

/** One fault, and what it did. */
export interface FaultOutcome extends ScheduledFault {
  /** When it began, in seconds after the load. */
  readonly at: number;
  /** How long it lasted, in seconds. */
  readonly lasted: number;
  /** What clients saw from its begin until everything was as before. */
  readonly clients: Figures;
  readonly recovery: Recovery;
  /** How many events were acknowledged before it, and when it was over. */
  readonly from: number;
  readonly to: number;
}

export interface DrillReport {
  readonly seed: number;
  readonly sabotage: Sabotage | undefined;
  readonly faults: readonly (FaultOutcome & {
    /** Of the events that were acknowledged while it lasted: how many are not stored. */
    readonly lost: number;
  })[];
  readonly load: Totals;
  /** 2xx for the first time, per second, faults included. */
  readonly eventsPerSecond: number;
  readonly audit: AuditReport["audit"];
  readonly domains: readonly DrilledDomain[];
  /** The contents of acknowledged events against rows and dead letters. */
  readonly contents: ContentCheck;
  readonly auditSeconds: number;
  /** Sentences about what is not as it should be; empty when all is well. */
  readonly differences: readonly string[];
}

/** One domain in a drill. */
interface DrilledDomain extends LostOfDomain {
  /** 2xx, each event's first; where the same content is the same event, there may be fewer rows. */
  readonly acknowledged: number;
  readonly stored: number;
  readonly ranked: number;
  /** Units that its boards lack, and that they have too many. */
  readonly missing: number;
  readonly surplus: number;
}

const tills = 1500;
const calmMs = 100;

/** Starts a system of its own, puts load on it, injects the faults of a seed, and audits what is left. */
export async function runDrill(o: DrillOptions): Promise<DrillReport> {
  const names = o.domains.map(({ name }) => name);
  const schedule = scheduleOf(o.seed, o.kinds, names, o.faults);
  const stand = await openStand(o);
  let load: Load | undefined;
  try {
    load = startLoad({
      urls: stand.urls,
      domains: names,
      eventsPerSecond: o.eventsPerSecond,
      tills,
      seed: o.seed,
      spread: o.spread,
      directory: o.directory,
    });
    const startedAt = performance.now();
    await delay(o.warmUpSeconds * 1000);
    let acknowledged = (await load.figures()).acknowledged;
    const outcomes: FaultOutcome[] = [];
    const failures: string[] = [];
    const letters = { events: 0, messages: 0 };
    for (const fault of schedule) {
      o.signal.throwIfAborted();
      const calm = await load.figures();
      acknowledged += calm.acknowledged;
      const one = await injectOne(stand, load, o, { fault, startedAt, events: acknowledged }).catch(
        (error: unknown) => {
          const reason = error instanceof Error ? `${error.message}: ${String(error.cause)}` : String(error);
          failures.push(reason);
          o.say(`not injected: ${reason}`);
        },
      );
      if (one === undefined) continue;
      const { aftermath, ...seen } = one;
      const from = acknowledged;
      acknowledged += seen.clients.acknowledged;
      const outcome = { ...seen, from, to: acknowledged };
      outcomes.push(outcome);
      letters.events += aftermath.letters?.events ?? 0;
      letters.messages += aftermath.letters?.messages ?? 0;
      o.onFault(outcome, outcomes.length);
      await delay(calmMs);
    }
    o.say("load ends; waiting for what is under way");
    const totals = await load.finish();
    load = undefined;
    o.say(`audit of ${totals.acknowledged} acknowledged events`);
    const audit = await runAudit(o.root, stand, allIdsFile(o.directory));
    const kept = await countDeadLetters(o.root, stand);
    const contents = await checkContents(stand.database, o.directory, o.domains);
    const lost = await countLost(o.directory, names, audit.notStored);
    const report: DrillReport = {
      seed: o.seed,
      sabotage: o.sabotage,
      faults: outcomes.map((outcome) => ({ ...outcome, lost: lost.between(outcome.from, outcome.to) })),
      load: totals,
      eventsPerSecond: Math.round(totals.acknowledged / totals.seconds),
      audit: audit.audit,
      domains: lost.domains.map((one) => drilled(one, totals, audit)),
      contents,
      auditSeconds: audit.seconds,
      differences: [
        ...failures,
        ...outcomes.flatMap(lateness),
        ...differences(totals, audit, letters, kept),
        ...contentDifferences(contents),
      ],
    };
    // After a fault of ours the logs of the apps are of use.
    if (report.differences.length === 0) await rm(o.directory, { recursive: true, force: true });
    return report;
  } finally {
    await load?.abort();
    await stand.close();
  }
}

async function injectOne(
  stand: Stand,
  load: Load,
  { kinds, pileUp }: DrillOptions,
  { fault, startedAt, events }: { readonly fault: ScheduledFault; readonly startedAt: number; readonly events: number },
) {
  const kind = kinds.find(({ name }) => name === fault.kind);
  if (kind === undefined) throw new TypeError(`there is no kind ${fault.kind}`);
  const begunAt = performance.now();
  try {
    const aftermath = await kind.inject(stand, fault);
    const after = await recovery(stand, load, aftermath, { pileUp, events });
    const clients = await load.figures();
    return {
      ...fault,
      at: (begunAt - startedAt) / 1000,
      lasted: (aftermath.backAt - begunAt) / 1000,
      clients,
      recovery: after,
      aftermath,
    };
  } catch (error) {
    throw new Error(`fault "${fault.kind}" on ${fault.target} (${JSON.stringify(fault)})`, { cause: error });
  }
}

function drilled(one: LostOfDomain, load: Totals, { domains }: AuditReport): DrilledDomain {
  const audited = domains.find(({ domain }) => domain === one.domain);
  return {
    ...one,
    acknowledged: load.domains.find(({ domain }) => domain === one.domain)?.acknowledged ?? 0,
    stored: audited?.batches.stored ?? 0,
    ranked: audited?.batches.ranked ?? 0,
    missing: audited?.boards.missing ?? 0,
    surplus: audited?.boards.surplus ?? 0,
  };
}
