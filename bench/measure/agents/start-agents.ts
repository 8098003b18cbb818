import { mergeResults } from "../load/merge-results.ts";
import type { LoadPlan, PhaseResult } from "../load/load-plan.ts";
import type { Load } from "../load/start-load.ts";
import { pidsHere } from "../machine/own-processes.ts";
import { openAgent, type AgentClient } from "./agent-client.ts";
import { nowMs, type AgentRun } from "./agent-protocol.ts";
import { alignResults } from "./align-results.ts";

/** The load generators of a run. */
export interface Agents {
  readonly urls: readonly string[];
  readonly token: string;
}

/** The share of an agent in a run, for its report. */
export interface AgentShare {
  readonly url: string;
  readonly sent: number;
  readonly accepted: number;
  readonly read: number;
  /** Share of time in which its busiest thread was busy, 0 to 1. */
  readonly busy: number;
  readonly clockOffsetMs: number;
  readonly roundTripMs: number;
}

/** Commands travel before the load begins everywhere at once. */
const leadMs = 200;

/**
 * A load that several agents send, each with `threads` threads: what one process with all these threads would send. They begin at one time, by
 * clocks that are compared at the start. When an agent fails, the phase rejects with an AgentFailed: a result of the others alone would be a smaller
 * load than the user asked for. The caller closes the load then, which ends the others.
 */
export async function startAgents(plan: LoadPlan, threads: number, { urls, token }: Agents): Promise<Load> {
  const total = urls.length * threads;
  const onSample: Load["onSample"] = (sample) => load.onSample(sample);
  const opening = urls.map((url, index) =>
    openAgent(url, token, { plan: sendable(plan), threads, first: index * threads, total }, onSample),
  );
  const opened = await Promise.allSettled(opening);
  const agents = opened.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const close = async (): Promise<void> => {
    await Promise.all(agents.map((agent) => agent.close()));
  };
  const refused = opened.find((one) => one.status === "rejected");
  if (refused !== undefined) {
    await close();
    throw refused.reason;
  }

  const load: Load = {
    onSample: () => undefined,
    processes: pidsHere(agents.map((agent) => agent.process)),
    async prepare(phase) {
      if (phase.model === "source" || phase.model === "replay")
        throw new RangeError(`a ${phase.model} is not divided among agents`);
      await Promise.all(agents.map((agent) => agent.prepare({ phase })));
      return async ({ ids: idsFile } = {}) => {
        const calledAtMs = nowMs();
        const startAtMs = calledAtMs + leadMs + Math.max(...agents.map(({ clock }) => clock.roundTripMs));
        const runs = await Promise.all(
          agents.map(async (agent) => {
            const { offsetMs } = agent.clock;
            const run = await agent.run({ atMs: startAtMs + offsetMs, ids: idsFile !== undefined });
            return { ...run, agent, startedAtMs: run.startedAtMs - offsetMs };
          }),
        );
        // In turn, because they append to one file.
        for (const { agent } of runs) if (idsFile !== undefined) await agent.saveIds(idsFile);
        return resultOf(runs, calledAtMs);
      };
    },
    progress: () => Promise.resolve(agents.reduce((sum, { through }) => sum + through, 0)),
    close,
  };
  return load;
}

/** Without fields that are undefined, and without those that agents do not need. */
function sendable({ urls, domain, connections, seed, spread, readShare, contentBytes, responseWithinMs }: LoadPlan) {
  const content = contentBytes === undefined ? {} : { contentBytes };
  return { urls: [...urls], domain, connections, seed, spread, readShare, responseWithinMs, ...content };
}

function resultOf(runs: readonly (AgentRun & { readonly agent: AgentClient })[], calledAtMs: number): PhaseResult {
  const startedAtMs = Math.min(...runs.map((run) => run.startedAtMs));
  return {
    ...mergeResults(alignResults(runs)),
    byAgents: {
      leadMs: Math.max(0, startedAtMs - calledAtMs),
      cpuSeconds: runs.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
      shares: runs.map(({ agent: { url, clock }, result: { sent, accepted, read, client } }) => ({
        url,
        sent,
        accepted,
        read,
        busy: client.busy,
        clockOffsetMs: clock.offsetMs,
        roundTripMs: clock.roundTripMs,
      })),
    },
  };
}
