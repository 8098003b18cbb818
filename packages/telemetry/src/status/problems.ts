import { clockProblem } from "../heartbeats/clock-offset.ts";
import type { FlowReport, Heartbeat } from "../heartbeats/heartbeat.ts";
import type { DomainStatus, Flow, QueueStatus, ProcessStatus, ServerStatus, Status } from "./status.ts";

export type Depths = Readonly<Record<"ingest" | "rank", number>>;

interface OfDomain {
  readonly name: string;
  readonly flows: readonly FlowReport[];
  /** undefined: the broker does not respond. */
  readonly depths: Depths | undefined;
  /** undefined: Redis does not respond. */
  readonly held: Held | undefined;
  readonly newest: number | undefined;
}

const nothingHeld: Held = { ingest: 0, rank: 0, holders: [] };
const noFlow = { events: 0, batches: 0, eventsPerSecond: 0, batchesPerSecond: 0 };
type Passed = Pick<FlowReport, keyof typeof noFlow>;

export function domainStatus({ name, flows, depths, held, newest }: OfDomain): DomainStatus {
  const flow = (stage: FlowReport["stage"]): Passed => flows.find((one) => one.stage === stage) ?? noFlow;
  const [accepted, stored, ranked] = [flow("accepted"), flow("stored"), flow("ranked")];
  const eventsPerBatch = meanBatch(accepted) ?? meanBatch(stored) ?? 1;
  const rankedSize = meanBatch(stored) ?? eventsPerBatch;
  const rankedPerSecond = ranked.batchesPerSecond * rankedSize;
  const { ingest, rank, holders } = held ?? nothingHeld;
  return {
    name,
    accepted: shown(accepted.events, accepted.eventsPerSecond),
    stored: shown(stored.events, stored.eventsPerSecond),
    ranked: shown(ranked.batches * rankedSize, rankedPerSecond),
    queues: {
      ingest: queueStatus(depths?.ingest, held?.ingest, eventsPerBatch),
      rank: queueStatus(depths?.rank, held?.rank, eventsPerBatch),
    },
    secondsToDrain:
      depths === undefined
        ? null
        : drainSeconds({
            batches: { ingest: depths.ingest + ingest, rank: depths.rank + rank },
            eventsPerBatch,
            stored: stored.eventsPerSecond,
            ranked: rankedPerSecond,
            holders,
          }),
    lastStoredAt: newest === undefined ? null : new Date(newest).toISOString(),
  };
}

function queueStatus(batches: number | undefined, held: number | undefined, eventsPerBatch: number): QueueStatus {
  if (batches === undefined) return { batches: null, held: held ?? null, events: null };
  return { batches, held: held ?? null, events: Math.round((batches + (held ?? 0)) * eventsPerBatch) };
}

/** In the last 10 s; without any, since the start. */
function meanBatch({ events, batches, eventsPerSecond, batchesPerSecond }: Passed): number | undefined {
  if (batches === 0) return undefined;
  return batchesPerSecond > 0 ? eventsPerSecond / batchesPerSecond : events / batches;
}

function shown(events: number, perSecond: number): Flow {
  return { events: Math.round(events), perSecond: Math.round(perSecond * 10) / 10 };
}

/** The unsettled batches of a domain; `holders`: by process and stage. */
interface Held extends Depths {
  readonly holders: readonly Holder[];
}

export function heldOf(beats: readonly Heartbeat[], domain: string): Held {
  const all = beats.flatMap(({ held, flows }) =>
    held.flatMap(({ stage, domain: own, batches }) => {
      const flow = flows.find((one) => one.stage === stage && one.domain === own);
      return own === domain ? [{ stage, batches, batchesPerSecond: flow?.batchesPerSecond ?? 0 }] : [];
    }),
  );
  const sum = (of: "stored" | "ranked"): number =>
    all.reduce((total, { stage, batches }) => total + (stage === of ? batches : 0), 0);
  return { ingest: sum("stored"), rank: sum("ranked"), holders: all };
}

/** What waits before the two stages of a domain, in queues and in consumers, and how fast it is processed. */
interface Waiting {
  readonly batches: Depths;
  readonly eventsPerBatch: number;
  /** Events per second. */
  readonly stored: number;
  readonly ranked: number;
  /** A process that stands still is seen although others progress. */
  readonly holders: readonly Holder[];
}

export type Holder = Readonly<Record<"batches" | "batchesPerSecond", number>>;

// A running system usually has a batch or two before each stage. At a low rate these would look like minutes.
const passingBatches = 2;
const passingSeconds = 1;

/** Time until every waiting event is ranked, by the slowest of the rates. 0: none waits. null: a rate is 0. */
export function drainSeconds({ batches, eventsPerBatch, stored, ranked, holders }: Waiting): number | null {
  const { ingest, rank } = batches;
  if (ingest + rank === 0) return 0;
  // A stored event is then ranked.
  const parts = [
    ingest === 0 ? 0 : (ingest * eventsPerBatch) / stored,
    ((ingest + rank) * eventsPerBatch) / ranked,
    ...holders.map((held) => (held.batches === 0 ? 0 : held.batches / held.batchesPerSecond)),
  ];
  const seconds = Math.max(...parts);
  if (!Number.isFinite(seconds)) return null;
  const isPassing = ingest <= passingBatches && rank <= passingBatches;
  return Math.round((isPassing ? Math.min(seconds, passingSeconds) : seconds) * 10) / 10;
}

export interface Known {
  readonly servers: readonly ServerStatus[];
  readonly domains: readonly DomainStatus[];
  readonly replicaLagMs: number | null;
  readonly processes: readonly ProcessStatus[];
  /** False: Redis does not respond. */
  readonly knowsProcesses: boolean;
  /** Servers of the read endpoint that serve no reads. */
  readonly unused: readonly string[];
  readonly stalled: readonly string[];
}

const behindSeconds = 10;
const names: Readonly<Record<ServerStatus["name"], string>> = {
  broker: "the broker",
  databaseWrite: "the database's write endpoint",
  databaseRead: "the database's read endpoint",
  redis: "Redis",
};
const apps = ["gateway", "writer", "ranker"] as const;

/** The state of a system, and one sentence for each reason of a state other than ok. The worst comes first. */
export function problemsOf(known: Known): Pick<Status, "state" | "problems"> {
  const failing = [
    ...serverProblems(known),
    ...missing(known),
    ...known.stalled.map((domain) => `${domain}: events wait, and a stage or a process does not progress`),
  ];
  const behind = [
    ...processProblems(known),
    ...known.unused.map((name) => `${name} serves no reads: it is behind, or does not respond`),
    ...delays(known),
  ];
  const state = failing.length > 0 ? "failing" : behind.length > 0 ? "behind" : "ok";
  return { state, problems: [...failing, ...behind] };
}

function serverProblems({ servers }: Known): readonly string[] {
  return servers.flatMap(({ name, node, state }) => {
    if (state === "up") return [];
    const which = node === undefined ? names[name] : `${names[name]} at ${node}`;
    return [state === "down" ? `${which} does not respond` : `${which} accepts no messages: memory or disk alarm`];
  });
}

function missing({ processes, knowsProcesses }: Known): readonly string[] {
  if (!knowsProcesses) return [];
  const isUp = (app: string): boolean => processes.some((one) => one.app === app && one.state === "up");
  return apps.filter((app) => !isUp(app)).map((app) => `no ${app} is running`);
}

function processProblems({ processes }: Known): readonly string[] {
  return processes.flatMap(({ app, host, pid, state, threads, clockOffsetMs }) => {
    const name = `${app} on ${host} (pid ${pid})`;
    if (state === "gone") return [`${name} sends no heartbeat`];
    const clock = clockProblem(clockOffsetMs);
    const ofThreads = threads.flatMap(({ index, state: threadState, lastError }) => {
      if (threadState === "ready") return [];
      return [`${name}: thread ${index} is ${threadState}${lastError === null ? "" : `: ${lastError}`}`];
    });
    return clock === undefined ? ofThreads : [...ofThreads, `${name}: its clock is ${clock}`];
  });
}

function delays({ domains, replicaLagMs }: Known): readonly string[] {
  const slow = domains.flatMap(({ name, secondsToDrain }) =>
    secondsToDrain !== null && secondsToDrain > behindSeconds
      ? [`${name}: the waiting events need ${Math.round(secondsToDrain)} s`]
      : [],
  );
  if (replicaLagMs === null || replicaLagMs <= behindSeconds * 1000) return slow;
  return [...slow, `the read endpoint is ${Math.round(replicaLagMs / 1000)} s behind`];
}

// A batch that has just arrived in an idle system waits for less.
const stalledAfterMs = 3000;

/** Returns a function that returns the domains whose events wait, while a stage or a process did not progress, at each
 * call of the last 3 s. */
export function stalls(): (domains: readonly DomainStatus[]) => readonly string[] {
  const since = new Map<string, number>();
  return (domains) => {
    const now = performance.now();
    return domains.flatMap(({ name, secondsToDrain, queues }) => {
      if (secondsToDrain !== null || queues.ingest.batches === null) {
        since.delete(name);
        return [];
      }
      const from = since.get(name) ?? now;
      since.set(name, from);
      return now - from >= stalledAfterMs ? [name] : [];
    });
  };
}
