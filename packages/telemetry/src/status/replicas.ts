import { setTimeout as sleep } from "node:timers/promises";
import { type Database, newestStored, nextStored } from "@tally/database";
import { Probe } from "./probe.ts";

const everyMs = 1000;

// A server that takes longer for one index lookup is frozen or overloaded.
const withinMs = 1000;

/**
 * Compares the servers of the read endpoint every second, and leaves those out that are more than `lagMaxMs` behind the
 * newest of them, that do not respond within a second, or that lack the table. Does nothing when there is one server.
 * Costs one index lookup on each server for each domain. Call the returned function once, to stop.
 */
export function watchReplicas(
  { replicas }: Pick<Database, "replicas">,
  domains: readonly string[],
  lagMaxMs: number,
): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  // A probe has one question under way: a frozen server does not collect them.
  const probes = replicas.map(({ reader }) => new Probe(withinMs, () => newestStored(reader, domains)));
  async function watch(): Promise<void> {
    while (!signal.aborted) {
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
      const lags = lagsOf((await Promise.all(probes.map((probe) => probe.read()))).map((probed) => probed?.value));
      for (const [index, replica] of replicas.entries()) replica.setBehind((lags[index] ?? Infinity) > lagMaxMs);
    }
  }
  if (replicas.length > 1) void watch();
  return () => stop.abort();
}

/**
 * How far each server is behind the newest one, in ms. `newest`: when each domain's newest batch was stored; undefined:
 * not known.
 */
function lagsOf(newest: readonly (ReadonlyMap<string, number> | undefined)[]): readonly (number | undefined)[] {
  const ends = new Map<string, number>();
  for (const [domain, at] of newest.flatMap((one) => [...(one ?? [])])) {
    ends.set(domain, Math.max(at, ends.get(domain) ?? at));
  }
  return newest.map((one) => one && Math.max(0, ...Array.from(ends, ([domain, end]) => end - (one.get(domain) ?? 0))));
}

/**
 * The age of the oldest batch that a server of the read endpoint does not have, in ms; of those that are up. 0: they
 * have all. Compares the ledgers of both endpoints, because the accounts of the apps may not read the state of the
 * replication. An upper bound: a batch that is committed between the two reads counts too. Two statements, each with an
 * index lookup for every domain, and one more statement where a domain is behind.
 */
export async function readLagMs(
  { replicas, writer }: Pick<Database, "replicas" | "writer">,
  domains: readonly string[],
): Promise<number> {
  const reads = await Promise.allSettled(replicas.map(({ reader }) => newestStored(reader, domains)));
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
