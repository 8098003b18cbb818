import { type Database, newestStored, nextStored } from "@tally/database";

/**
 * The age of the oldest batch that a server of the read endpoint does not have, in ms; of those that are up. 0: they have all.
 * Compares the ledgers of both endpoints, because the accounts of the apps may not read the state of the replication. An upper bound: a batch
 * that is committed between the two reads counts too. Two statements, each with an index lookup for every domain, and one more statement where a domain is behind.
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
