import { setTimeout as sleep } from "node:timers/promises";
import { type Database, newestStored, nextStored } from "@tally/database";

const compareEveryMs = 1000;
// A server that takes longer for one index lookup is frozen or overloaded.
const lookupWithinMs = 1000;

/** Compares the servers of the read endpoint every second, and leaves those out that are more than `lagMaxMs` behind
 * the newest, do not respond within a second, or lack the table. Costs one index lookup for each server and domain;
 * nothing with one server. Returns a function that stops it. */
export function watchReplicas(
  { replicas }: Pick<Database, "replicas">,
  domains: readonly string[],
  lagMaxMs: number,
): () => void {
  const probes = replicas.map((replica) => probe(lookupWithinMs, () => newestStored(replica, domains)));
  async function compare(): Promise<void> {
    const newest = (await Promise.all(probes.map((read) => read()))).map((probed) => probed?.value);
    const ends = new Map<string, number>();
    for (const [domain, at] of newest.flatMap((one) => [...(one ?? [])]))
      ends.set(domain, Math.max(at, ends.get(domain) ?? at));
    for (const [index, replica] of replicas.entries()) {
      const own = newest[index];
      replica.isBehind =
        own === undefined || [...ends].some(([domain, end]) => end - (own.get(domain) ?? 0) > lagMaxMs);
    }
  }
  const timer = replicas.length > 1 ? setInterval(() => void compare(), compareEveryMs).unref() : undefined;
  return () => clearInterval(timer);
}

/** The age of the oldest batch that a running server of the read endpoint lacks, in ms; 0: they have all. Compares the
 * ledgers, because the accounts of the apps may not read the state of the replication. An upper bound: a batch that is
 * committed between the two reads counts too. An index lookup for each endpoint and domain, one more if it is behind.
 */
export async function readLagMs(
  { replicas, writer }: Pick<Database, "replicas" | "writer">,
  domains: readonly string[],
): Promise<number> {
  // One that is down would delay the others. One server alone is asked always: nothing else asks it.
  const asked = replicas.filter(({ isUp }) => isUp || replicas.length === 1);
  const reads = await Promise.allSettled(asked.map((replica) => newestStored(replica, domains)));
  const replicated = reads.flatMap((read) => (read.status === "fulfilled" ? [read.value] : []));
  if (replicated.length === 0) throw new Error("no server of the read endpoint responds");
  const newest = await newestStored(writer, domains);
  const missing = await Promise.all(
    [...newest].map(async ([domain, at]) => {
      const until = Math.min(...replicated.map((one) => one.get(domain) ?? 0));
      return at > until ? nextStored(writer, domain, until) : undefined;
    }),
  );
  const oldest = Math.min(...missing.filter((at) => at !== undefined));
  return oldest === Infinity ? 0 : Math.max(0, Date.now() - oldest);
}

/** What a probe found; undefined: no result in time, or an error. */
export type Probed<T> = { readonly value: T; readonly tookMs: number } | undefined;

/** Returns a function that asks a server that may not respond, and never rejects. While a request is pending, later
 * calls share it: a frozen server collects one question from each probe. */
export function probe<T>(withinMs: number, ask: () => Promise<T>): () => Promise<Probed<T>> {
  let asked: Promise<Probed<T>> | undefined;

  async function timed(): Promise<Probed<T>> {
    const begun = performance.now();
    try {
      const value = await ask();
      return { value, tookMs: performance.now() - begun };
    } catch {
      return undefined; // a server that does not respond is the result here, not an error
    }
  }

  return async () => {
    asked ??= timed().finally(() => (asked = undefined));
    return Promise.race([asked, sleep(withinMs, undefined, { ref: false })]);
  };
}
