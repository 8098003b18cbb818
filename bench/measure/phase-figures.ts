import { latencyOf, latencyOfAll, round } from "./latency.ts";
import type { GroupResult, PhaseResult } from "./load/load-plan.ts";
import type { Latency } from "./report.ts";

/** The figures of one phase, GETs included: of a load, or of a group of connections of a source's run. */
export interface PhaseFigures {
  readonly connections: number;
  /** 2xx. */
  readonly requests: number;
  readonly perSecond: number;
  readonly latencyMs: Latency | null;
  readonly littlesLaw: LittlesLaw;
}

/**
 * The rate that follows from the number of connections and the mean latency, and by how much the measured rate differs from it. Both are null when
 * not all requests got a 2xx; the difference also when the number of connections at work is not constant.
 */
export interface LittlesLaw {
  readonly expectedPerSecond: number | null;
  readonly errorPercent: number | null;
}

/** The figures of a load. `isSteady`: whether all connections send one request after the other from its start to its end. */
export function figuresOfLoad(result: PhaseResult, connections: number, isSteady: boolean): PhaseFigures {
  const requests = result.accepted + result.read;
  const responses = Object.values(result.statuses).reduce((sum, count) => sum + count, 0);
  const failed = responses - requests + result.connectionErrors;
  const { seconds, timeouts } = result;
  return figuresOf({ connections, requests, failed, timeouts, seconds, isSteady, latencyMs: latencyOfAll(result) });
}

/** The figures of a group. Connections that end before the last one of the group lower its rate. */
export function figuresOfGroup(group: GroupResult): PhaseFigures {
  const { connections, good, failed, timeouts, begun, ended, pacedEveryMs, latencies } = group;
  const isSteady = pacedEveryMs === undefined;
  const latencyMs = latencyOf(latencies);
  return figuresOf({ connections, requests: good, failed, timeouts, seconds: ended - begun, isSteady, latencyMs });
}

interface Measured extends Pick<PhaseFigures, "connections" | "requests" | "latencyMs"> {
  readonly failed: number;
  readonly timeouts: number;
  readonly seconds: number;
  readonly isSteady: boolean;
}

function figuresOf(o: Measured): PhaseFigures {
  const { connections, requests, latencyMs, seconds } = o;
  return {
    connections,
    requests,
    perSecond: round(requests / seconds, 0),
    latencyMs,
    littlesLaw: littlesLawOf(o),
  };
}

function littlesLawOf({ connections, requests, failed, timeouts, seconds, isSteady, latencyMs }: Measured): LittlesLaw {
  // A request without a 2xx occupied a connection too, but its time is not in the mean.
  if (latencyMs === null || failed > 0) return { expectedPerSecond: null, errorPercent: null };
  const expected = connections / (latencyMs.mean / 1000);
  // The requests whose times are in the mean.
  const measured = (requests + timeouts) / seconds;
  return {
    expectedPerSecond: round(expected, 0),
    errorPercent: isSteady ? round(((measured - expected) / expected) * 100, 2) : null,
  };
}
