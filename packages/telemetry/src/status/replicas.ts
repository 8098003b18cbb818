import { type Database, newestStored, nextStored } from "@tally/database";

/** The age of the oldest batch that the read endpoint lacks, in ms; 0: it has all. Compares the ledgers, because the
 * accounts of the apps may not read the state of the replication. An upper bound: a batch that is committed between the
 * two reads counts too. An index lookup for each endpoint and domain, one more if it is behind. */
export async function readLagMs(
  { reader, writer }: Pick<Database, "reader" | "writer">,
  domains: readonly string[],
): Promise<number> {
  const replicated = await newestStored(reader, domains);
  const newest = await newestStored(writer, domains);
  const missing = await Promise.all(
    Array.from(newest, async ([domain, at]) => {
      const until = replicated.get(domain) ?? 0;
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
    // No AbortController: its error has a stack, which takes as long as the rest of a reading.
    const late = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => late.resolve(undefined), withinMs);
    try {
      return await Promise.race([asked, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  };
}
