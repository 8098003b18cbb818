import { setTimeout as delay } from "node:timers/promises";
import { ServiceError, type ServicesSource } from "@tally/local";
import type { AuditReport } from "@tally/reconcile";
import { startThread, type Thread } from "../kit/index.ts";
import { checkContents, countDeadLetters, differences, runAudit } from "./compare.ts";
import { isPossible, type FaultKind } from "./kinds/fault-kind.ts";
import type { LoadPlan, Totals } from "./load/sender.ts";
import type { LoadCalls } from "./load/thread.ts";
import { idsOf, stillLost, type LostCommits } from "./lost-commits.ts";
import { equalAgain, recovery } from "./recovery.ts";
import { scheduleOf, type ScheduledFault } from "./schedule.ts";
import { openSystem, type System, type SystemOptions } from "./system.ts";

const inFlightMax = 1500;
const warmUpMs = 3000;
const calmMs = 100;
// A sabotage loses events, so the drill may wait for an event that never comes.
const sabotagedMs = 15_000;

export interface DrillFlags extends Pick<SystemOptions, "sabotage" | "services"> {
  readonly seed: number;
  readonly faults: number;
  /** Events per second. */
  readonly rate: number;
  /** In seconds, after a fault. */
  readonly equalWithin: number;
}

/** `domains` get load and faults. */
interface DrillOptions extends SystemOptions, DrillFlags {
  readonly kinds: readonly FaultKind[];
  /** Whether the user has named them. */
  readonly isChosen: boolean;
  readonly onFault: (outcome: FaultOutcome, number: number) => void;
}

export type FaultOutcome = Omit<Awaited<ReturnType<typeof injectOne>>, "aftermath">;

export type DrillReport = Awaited<ReturnType<typeof runDrill>>;

/** Starts a system, puts load on it, injects the faults of a seed, and audits the result. */
export async function runDrill(options: DrillOptions) {
  const { directory, domains, seed, sabotage, rate: eventsPerSecond, say } = options;
  const names = domains.map(({ name }) => name);
  await using opened = new AsyncDisposableStack();
  const system = await openSystem(options);
  opened.defer(() => system.close());
  const kinds = possibleKinds(options, system.source);
  const limits = { inFlightMax, finishWithinMs: sabotage === undefined ? 60_000 : sabotagedMs };
  const plan: LoadPlan = { urls: system.urls, domains: names, eventsPerSecond, ...limits, seed, directory };
  const load = startThread<LoadCalls>(new URL("load/thread.ts", import.meta.url), plan);
  opened.defer(() => load.stop());
  const { outcomes, failures, letters, lost } = await injectAll(system, load, { ...options, kinds });
  say("the load ends; waiting for the events under way");
  const totals = await load.call("finish");
  say(`audit of ${totals.acknowledged} acknowledged events`);
  const lostNow = await stillLost(system.database, lost);
  // Rankings are equal again by then, whatever the last fault was.
  const waitSeconds = sabotage === undefined ? options.equalWithin : 300;
  const audited = await runAudit(system, directory, lostNow, waitSeconds);
  const kept = await countDeadLetters(system, lostNow);
  const contents = await checkContents(system.database, directory, domains, lost);
  const found = [
    ...failures,
    ...outcomes.flatMap(lateness),
    ...differences(totals, audited, { injected: letters, kept }, lost),
  ];
  const { wrong, firstWrong } = contents;
  if (wrong > 0)
    found.push(`${wrong} acknowledged contents are in no row and in no dead letter, the first of ${firstWrong}`);
  return {
    seed,
    sabotage,
    faults: outcomes,
    load: totals,
    // Acknowledged, faults included.
    eventsPerSecond: Math.round(totals.acknowledged / totals.seconds),
    audit: audited.audit,
    domains: names.map((name) => figuresOf(name, totals, audited)),
    contents,
    // Events in commits that a promoted replica did not have.
    lostByDatabase: idsOf(lostNow).length,
    auditSeconds: audited.seconds,
    differences: found,
  };
}

/** Lists the faults that these servers do not allow. Throws when the user has named one. */
function possibleKinds({ kinds, isChosen, say }: DrillOptions, source: ServicesSource): readonly FaultKind[] {
  const possible = kinds.filter((kind) => isPossible(kind, source));
  const others = kinds.filter((kind) => !possible.includes(kind)).map(({ name }) => name);
  if (others.length === 0) return kinds;
  const what = `servers from ${source} do not allow ${others.join(", ")}`;
  if (isChosen) throw new ServiceError("not-possible", what);
  say(what);
  return possible;
}

function lateness({ kind, at, recovery: { late } }: FaultOutcome): readonly string[] {
  return late.map((what) => `not ${what} in time after "${kind}" at ${at.toFixed(1)} s`);
}

function figuresOf(name: string, load: Totals, { domains }: AuditReport) {
  const audited = domains.find(({ domain }) => domain === name);
  return {
    domain: name,
    acknowledged: load.domains.find(({ domain }) => domain === name)?.acknowledged ?? 0,
    stored: audited?.batches.stored ?? 0,
    ranked: audited?.batches.ranked ?? 0,
    // Units that its boards lack, and that they have in excess.
    missing: audited?.boards.missing ?? 0,
    surplus: audited?.boards.surplus ?? 0,
  };
}

/** Injects the faults one after the other; a fault that fails is reported and does not end the drill. */
async function injectAll(system: System, load: Thread<LoadCalls>, options: DrillOptions) {
  const names = options.domains.map(({ name }) => name);
  const startedAt = performance.now();
  await delay(warmUpMs);
  let { acknowledged } = await load.call("figures");
  const outcomes: FaultOutcome[] = [];
  const failures: string[] = [];
  const letters = { events: 0, messages: 0 };
  let lost: LostCommits = { domains: [], letters: [] };
  for (const fault of scheduleOf(options.seed, options.kinds, names, options.faults)) {
    options.signal.throwIfAborted();
    acknowledged += (await load.call("figures")).acknowledged;
    try {
      const before = { startedAt, events: acknowledged };
      const { aftermath, ...outcome } = await injectOne(system, load, options, fault, before);
      acknowledged += outcome.clients.acknowledged;
      outcomes.push(outcome);
      letters.events += aftermath.letters?.events ?? 0;
      letters.messages += aftermath.letters?.messages ?? 0;
      const { domains = [], letters: lostLetters = [] } = aftermath.lost ?? {};
      lost = { domains: [...lost.domains, ...domains], letters: [...lost.letters, ...lostLetters] };
      options.onFault(outcome, outcomes.length);
      await delay(calmMs);
    } catch (error) {
      // After an abort no server starts again.
      options.signal.throwIfAborted();
      const failure = `fault "${fault.kind}" on ${fault.target} (${JSON.stringify(fault)}) failed: ${String(error)}`;
      failures.push(failure);
      options.say(failure);
    }
  }
  return { outcomes, failures, letters, lost };
}

async function injectOne(
  system: System,
  load: Thread<LoadCalls>,
  { kinds, sabotage, equalWithin }: DrillOptions,
  fault: ScheduledFault,
  { startedAt, events }: { readonly startedAt: number; readonly events: number },
) {
  const kind = kinds.find(({ name }) => name === fault.kind);
  if (kind === undefined) throw new TypeError(`there is no kind ${fault.kind}`);
  const injectedAt = performance.now();
  const aftermath = await kind.inject(system, fault);
  const { lost, redisLost } = aftermath;
  if (lost !== undefined) await load.call("forget", idsOf(lost));
  const isEqual = redisLost === true || lost !== undefined ? equalAgain(system, lost) : undefined;
  const recovered = await recovery(load, aftermath, {
    url: system.urls[0] ?? "",
    events,
    isEqual,
    equalWithinMs: sabotage === undefined ? equalWithin * 1000 : sabotagedMs,
  });
  return {
    ...fault,
    /** In seconds: when it started, after the load, and how long it lasted. */
    at: (injectedAt - startedAt) / 1000,
    lasted: (aftermath.backAt - injectedAt) / 1000,
    /** What clients saw from its start to the end of the recovery. */
    clients: await load.call("figures"),
    recovery: recovered,
    aftermath,
  };
}
