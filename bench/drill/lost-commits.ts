import { eventIdOfBytes, type BatchId, type Domain } from "@tally/contract";
import { findEpochs, findMissing, listBatches, listLetters, placeAt, withRecount } from "@tally/database";
import type { Database, DeadLetter } from "@tally/database";
import { IdSet } from "@tally/reconcile";

/** The commits of a primary that its replica does not have. Its promotion loses them: asynchronous replication does not
 * promise to keep them. A batch that was not acknowledged to the broker is delivered and stored again. */
export interface LostCommits {
  readonly domains: readonly LostOfDomain[];
  readonly letters: readonly DeadLetter[];
}

interface LostOfDomain {
  readonly domain: Domain;
  /** Ids of events with a row. */
  readonly ids: readonly string[];
  readonly batches: readonly BatchId[];
}

export const noLostCommits: LostCommits = { domains: [], letters: [] };

const lettersMax = 1_000_000;
const batchesMax = 1_000_000;
const idsPerRead = 500;

/** Compares write and read endpoint, neither of which may change meanwhile. */
export async function findLostCommits(database: Database, domains: readonly Domain[]): Promise<LostCommits> {
  const lost: LostOfDomain[] = [];
  for (const domain of domains) {
    const [ids, batches] = await Promise.all([lostIds(database, domain), lostBatches(database, domain.name)]);
    lost.push({ domain, ids, batches });
  }
  const [all, replicated] = await Promise.all(
    [database.writer, database.reader].map((endpoint) => listLetters(endpoint, {}, lettersMax)),
  );
  const kept = new Set(replicated?.map(({ id }) => id));
  return { domains: lost, letters: all?.filter(({ id }) => !kept.has(id)) ?? [] };
}

export function idsOf({ domains }: LostCommits): readonly string[] {
  return domains.flatMap(({ ids }) => ids);
}

export function joinLost(all: readonly LostCommits[]): LostCommits {
  return { domains: all.flatMap(({ domains }) => domains), letters: all.flatMap(({ letters }) => letters) };
}

/** What the write endpoint still lacks. */
export async function stillLost({ writer }: Database, { domains, letters }: LostCommits): Promise<LostCommits> {
  const lost: LostOfDomain[] = [];
  for (const { domain, ids, batches } of domains) {
    const stored = new Set<string>();
    for (let at = 0; at < ids.length; at += idsPerRead) {
      for (const { id } of await domain.store.read(writer, ids.slice(at, at + idsPerRead))) stored.add(id);
    }
    const missing = await findMissing(writer, batches);
    lost.push({ domain, ids: ids.filter((id) => !stored.has(id)), batches: missing });
  }
  const kept = new Set((await listLetters(writer, {}, lettersMax)).map(({ id }) => id));
  return { domains: lost, letters: letters.filter(({ id }) => !kept.has(id)) };
}

async function lostIds(database: Database, domain: Domain): Promise<readonly string[]> {
  const ids = new IdSet();
  const forEach = (endpoint: "read" | "write", use: (id: Buffer) => unknown): Promise<void> =>
    withRecount(database, endpoint, domain, async (snapshot, recount) => {
      for await (const rows of snapshot.stream(recount.ids)) for (const [id] of rows) if (Buffer.isBuffer(id)) use(id);
    });
  await forEach("write", (id) => ids.add(id));
  await forEach("read", (id) => ids.tick(id));
  return Array.from(ids.unticked(), (hex) => eventIdOfBytes(Buffer.from(hex, "hex")));
}

/** A replica has all commits of the epochs that it knows as closed. */
async function lostBatches({ writer, reader }: Database, domain: string): Promise<readonly BatchId[]> {
  const { closedTo = -1 } = (await findEpochs(reader, domain)) ?? {};
  const newest = await listBatches(writer, domain, placeAt(closedTo + 1), Number.MAX_SAFE_INTEGER, batchesMax);
  return findMissing(reader, newest);
}
