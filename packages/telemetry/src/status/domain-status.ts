import type { FlowReport } from "../heartbeats/heartbeat.ts";
import type { Held } from "./of-heartbeats.ts";
import { secondsToDrain } from "./seconds-to-drain.ts";
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
