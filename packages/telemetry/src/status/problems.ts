import type { DomainStatus, ProcessStatus, ServerStatus, Status } from "./status.ts";

/** What a status is judged by. */
export interface Known {
  readonly servers: readonly ServerStatus[];
  readonly domains: readonly DomainStatus[];
  readonly replicaLagMs: number | null;
  readonly processes: readonly ProcessStatus[];
  /** False: Redis does not respond, so nothing is known of them. */
  readonly knowsProcesses: boolean;
  /** Servers of the read endpoint, of several, that serve no reads. */
  readonly unused: readonly string[];
  /** Domains whose events wait without progress. */
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
  const failing = [...serverProblems(known), ...missing(known), ...stalls(known)];
  const behind = [...threadProblems(known), ...unusedServers(known), ...delays(known)];
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
  return apps.flatMap((app) =>
    processes.some((one) => one.app === app && one.state === "up") ? [] : [`no ${app} is running`],
  );
}

function stalls({ stalled }: Known): readonly string[] {
  return stalled.map((domain) => `${domain}: events wait, and a stage or a process does not progress`);
}

function threadProblems({ processes }: Known): readonly string[] {
  return processes.flatMap(({ app, host, pid, state, threads }) => {
    const name = `${app} on ${host} (pid ${pid})`;
    if (state === "gone") return [`${name} sends no heartbeat`];
    return threads.flatMap(({ index, state: threadState, lastError }) => {
      if (threadState === "ready") return [];
      return [`${name}: thread ${index} is ${threadState}${lastError === null ? "" : `: ${lastError}`}`];
    });
  });
}

function unusedServers({ unused }: Known): readonly string[] {
  return unused.map((name) => `${name} serves no reads: it is behind, or does not respond`);
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

/** Remembers since when events of a domain wait without progress. */
export class Stalls {
  readonly #since = new Map<string, number>();

  /** The domains whose events wait, while a stage or a process did not progress, at each call of the last 3 s. */
  of(domains: readonly DomainStatus[]): readonly string[] {
    const now = performance.now();
    return domains.flatMap(({ name, secondsToDrain, queues }) => {
      if (secondsToDrain !== null || queues.ingest.batches === null) {
        this.#since.delete(name);
        return [];
      }
      const since = this.#since.get(name) ?? now;
      this.#since.set(name, since);
      return now - since >= stalledAfterMs ? [name] : [];
    });
  }
}
