import { rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { Spread } from "@tally/domains/workloads";
import { startThread, type Thread } from "../kit/index.ts";
import type { AuditReport } from "@tally/reconcile";
import { checkContents, type ContentCheck } from "./check-contents.ts";
import { contentDifferences, differences, lateness } from "./differences.ts";
import type { Sabotage } from "./inside/sabotages.ts";
import type { FaultKind } from "./kinds/fault-kind.ts";
import { idsFile } from "./load/acknowledged-files.ts";
import type { Figures, LoadCalls, LoadPlan, Totals } from "./load/protocol.ts";
import { countLost } from "./lost.ts";
import { equalAgain, recovery, type Recovery } from "./recovery.ts";
import { countDeadLetters, runAudit } from "./run-audit.ts";
import { scheduleOf, type ScheduledFault } from "./schedule.ts";
import { openSystem, type System, type SystemOptions } from "./system.ts";

const inFlightMax = 1500;
const calmMs = 100;

/** `directory` is deleted at the end, unless the drill found differences. `domains` get load and faults. */
export interface DrillOptions extends Omit<SystemOptions, "settings"> {
  readonly seed: number;
  readonly faults: number;
  readonly kinds: readonly FaultKind[];
  readonly eventsPerSecond: number;
  /** Load before the first fault. */
  readonly warmUpSeconds: number;
  /** "wide": boards of the largest size, which take long to rebuild. */
  readonly spread: Spread;
  /** The next fault does not wait until the rankings equal the rows again. */
  readonly pileUp: boolean;
  /** Called after each fault. */
  readonly onFault: (outcome: FaultOutcome, number: number) => void;
}

/** One fault and its effects. */
export interface FaultOutcome extends ScheduledFault {
  /** When it started, in seconds after the load. */
  readonly at: number;
  /** How long it lasted, in seconds. */
  readonly lasted: number;
  /** What clients saw from its start to the end of the recovery. */
  readonly clients: Figures;
  readonly recovery: Recovery;
  /** How many events were acknowledged before it, and until the end of the recovery. */
  readonly from: number;
  readonly to: number;
}

export interface DrillReport {
  readonly seed: number;
  readonly sabotage: Sabotage | undefined;
  readonly faults: readonly (FaultOutcome & {
    /** Events that were acknowledged from `from` to `to` and are not stored. */
    readonly lost: number;
  })[];
  readonly load: Totals;
  /** Acknowledged events per second, faults included. */
  readonly eventsPerSecond: number;
  readonly audit: AuditReport["audit"];
  readonly domains: readonly DrilledDomain[];
  /** Acknowledged contents compared with rows and dead letters. */
  readonly contents: ContentCheck;
  readonly auditSeconds: number;
  /** One sentence for each guarantee that was broken. */
  readonly differences: readonly string[];
}

/** The result for one domain. */
interface DrilledDomain {
  readonly domain: string;
  /** Acknowledged events that are not stored. */
  readonly lost: number;
  /** First 2xx of each POST. There are fewer rows where equal content is the same event. */
  readonly acknowledged: number;
  readonly stored: number;
  readonly ranked: number;
  /** Units that its boards lack, and that they have in excess. */
  readonly missing: number;
  readonly surplus: number;
}

/** Starts a system, puts load on it, injects the faults of a seed, and audits the result. */
export async function runDrill(options: DrillOptions): Promise<DrillReport> {
  const report = await drillSystem(options);
  // Keeps the directory when differences were found: it has the logs. Only after the end of the system, which writes to it.
  if (report.differences.length === 0) await rm(options.directory, { recursive: true, force: true });
  return report;
}

async function drillSystem(options: DrillOptions): Promise<DrillReport> {
  const { directory, domains, seed, eventsPerSecond, spread, say } = options;
  const names = domains.map(({ name }) => name);
  const system = await openSystem(options);
  let load: Thread<LoadCalls> | undefined;
  try {
    // A sabotage loses events; the requests that follow these never get a 2xx.
    const finishWithinMs = options.sabotage === undefined ? 60_000 : 15_000;
    const limits = { inFlightMax, finishWithinMs };
    const plan: LoadPlan = { urls: system.urls, domains: names, eventsPerSecond, ...limits, seed, spread, directory };
    load = startThread<LoadCalls>(new URL("load/thread.ts", import.meta.url), plan);
    const { outcomes, failures, letters } = await injectAll(system, load, options);
    say("the load ends; waiting for the events under way");
    const totals = await load.call("finish");
    say(`audit of ${totals.acknowledged} acknowledged events`);
    const audit = await runAudit(system, idsFile(directory));
    const kept = await countDeadLetters(system);
    const contents = await checkContents(system.database, directory, domains);
    const lost = await countLost(directory, names, audit.notStored);
    return {
      seed,
      sabotage: options.sabotage,
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
  } finally {
    await load?.stop();
    await system.close();
  }
}

/** Injects the faults one after the other; a fault that fails is reported and does not end the drill. */
async function injectAll(system: System, load: Thread<LoadCalls>, options: DrillOptions) {
  const names = options.domains.map(({ name }) => name);
  const startedAt = performance.now();
  await delay(options.warmUpSeconds * 1000);
  let { acknowledged } = await load.call("figures");
  const outcomes: FaultOutcome[] = [];
  const failures: string[] = [];
  const letters = { events: 0, messages: 0 };
  for (const fault of scheduleOf(options.seed, options.kinds, names, options.faults)) {
    options.signal.throwIfAborted();
    acknowledged += (await load.call("figures")).acknowledged;
    try {
      const { aftermath, ...seen } = await injectOne(system, load, options, { fault, startedAt, events: acknowledged });
      const from = acknowledged;
      acknowledged += seen.clients.acknowledged;
      const outcome = { ...seen, from, to: acknowledged };
      outcomes.push(outcome);
      letters.events += aftermath.letters?.events ?? 0;
      letters.messages += aftermath.letters?.messages ?? 0;
      options.onFault(outcome, outcomes.length);
      await delay(calmMs);
    } catch (error) {
      const failure = `fault "${fault.kind}" on ${fault.target} (${JSON.stringify(fault)}) failed: ${String(error)}`;
      failures.push(failure);
      options.say(failure);
    }
  }
  return { outcomes, failures, letters };
}

async function injectOne(
  system: System,
  load: Thread<LoadCalls>,
  { kinds, pileUp }: DrillOptions,
  { fault, startedAt, events }: { readonly fault: ScheduledFault; readonly startedAt: number; readonly events: number },
) {
  const kind = kinds.find(({ name }) => name === fault.kind);
  if (kind === undefined) throw new TypeError(`there is no kind ${fault.kind}`);
  const injectedAt = performance.now();
  const aftermath = await kind.inject(system, fault);
  const isEqual = aftermath.redisLost === true && !pileUp ? equalAgain(system) : undefined;
  const recovered = await recovery(load, aftermath, { url: system.urls[0] ?? "", events, isEqual });
  return {
    ...fault,
    at: (injectedAt - startedAt) / 1000,
    lasted: (aftermath.backAt - injectedAt) / 1000,
    clients: await load.call("figures"),
    recovery: recovered,
    aftermath,
  };
}

function drilled(one: Pick<DrilledDomain, "domain" | "lost">, load: Totals, { domains }: AuditReport): DrilledDomain {
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
