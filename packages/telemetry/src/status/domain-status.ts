import type { FlowReport, Heartbeat } from "../heartbeats/heartbeat.ts";
import type { DomainStatus, Flow, QueueStatus } from "./status.ts";

/** Batches in the two queues of a domain. */
export interface Depths {
  readonly ingest: number;
  readonly rank: number;
}

/** What is known of a domain. */
interface OfDomain {
  readonly name: string;
  /** Of all processes. */
  readonly flows: readonly FlowReport[];
  /** undefined: the broker does not respond. */
  readonly depths: Depths | undefined;
  /** undefined: Redis does not respond. */
  readonly held: Held | undefined;
  /** When the newest batch was stored, in ms since 1970. */
  readonly newest: number | undefined;
}

const nothingHeld: Held = { ingest: 0, rank: 0, holders: [] };
const noFlow = { events: 0, batches: 0, eventsPerSecond: 0, batchesPerSecond: 0 };
type Passed = Pick<FlowReport, keyof typeof noFlow>;

/** The rates of a domain, what waits in it, and for how long. */
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
        : secondsToDrain({
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

/** Of the last 10 s; without any, since the start. */
function meanBatch({ events, batches, eventsPerSecond, batchesPerSecond }: Passed): number | undefined {
  if (batches === 0) return undefined;
  return batchesPerSecond > 0 ? eventsPerSecond / batchesPerSecond : events / batches;
}

function shown(events: number, perSecond: number): Flow {
  return { events: Math.round(events), perSecond: Math.round(perSecond * 10) / 10 };
}

/** The unsettled batches of a domain. */
export interface Held {
  readonly ingest: number;
  readonly rank: number;
  /** By process and stage. */
  readonly holders: readonly Holder[];
}

/** What running processes hold of a domain. */
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

/** What waits before the two stages of a domain, and how fast it is processed. */
export interface Waiting {
  /** Batches in the ingest and in the rank queue, and those that consumers hold. */
  readonly batches: { readonly ingest: number; readonly rank: number };
  readonly eventsPerBatch: number;
  /** Events per second. */
  readonly stored: number;
  readonly ranked: number;
  /** What each process holds. One that stands still is seen although others progress. */
  readonly holders: readonly Holder[];
}

/** The unsettled batches of one process, and how many of them it settles. */
export interface Holder {
  readonly batches: number;
  readonly batchesPerSecond: number;
}

// A running system has a batch or two before each stage at most moments. At a low rate these would look like minutes.
const passingBatches = 2;
const passingSeconds = 1;

/**
 * The time until every waiting event is stored and ranked, by the slowest of the rates. 0: none waits. null: a rate is
 * 0.
 */
export function secondsToDrain({
  batches: { ingest, rank },
  eventsPerBatch,
  stored,
  ranked,
  holders,
}: Waiting): number | null {
  if (ingest + rank === 0) return 0;
  // A stored event is then ranked.
  const parts = [
    ingest === 0 ? 0 : (ingest * eventsPerBatch) / stored,
    ((ingest + rank) * eventsPerBatch) / ranked,
    ...holders.map(({ batches, batchesPerSecond }) => (batches === 0 ? 0 : batches / batchesPerSecond)),
  ];
  const seconds = Math.max(...parts);
  if (!Number.isFinite(seconds)) return null;
  const isPassing = ingest <= passingBatches && rank <= passingBatches;
  return Math.round((isPassing ? Math.min(seconds, passingSeconds) : seconds) * 10) / 10;
}
