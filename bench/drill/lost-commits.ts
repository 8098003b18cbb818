import { eventIdOfBytes, type BatchId, type Domain, type SqlReader } from "@tally/contract";
import { findEpochs, findMissing, listBatches, listLetters, placeAt, withUnmoved } from "@tally/database";
import type { Database, DeadLetter } from "@tally/database";
import { readTables } from "@tally/reconcile";

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

const allRows = 1_000_000;

/** Compares write and read endpoint, neither of which may change meanwhile. */
export async function findLostCommits(database: Database, domains: readonly Domain[]): Promise<LostCommits> {
  const lost: LostOfDomain[] = [];
  for (const domain of domains) {
    const replicated = await idsOn(database, "read", domain);
    const ids = [...(await idsOn(database, "write", domain))].filter((id) => !replicated.has(id));
    lost.push({ domain, ids, batches: await lostBatches(database, domain.name) });
  }
  const letters = await listLetters(database.writer, {}, allRows);
  return { domains: lost, letters: await notKept(database.reader, letters) };
}

export function idsOf({ domains }: LostCommits): readonly string[] {
  return domains.flatMap(({ ids }) => ids);
}

/** Without the events and letters that the write endpoint has again. */
export async function stillLost(database: Database, { domains, letters }: LostCommits): Promise<LostCommits> {
  const lost: LostOfDomain[] = [];
  for (const one of domains) {
    const stored = await idsOn(database, "write", one.domain);
    lost.push({ ...one, ids: one.ids.filter((id) => !stored.has(id)) });
  }
  return { domains: lost, letters: await notKept(database.writer, letters) };
}

async function idsOn(database: Database, endpoint: "read" | "write", domain: Domain): Promise<Set<string>> {
  const ids = new Set<string>();
  await withUnmoved(database, endpoint, domain, async (snapshot) => {
    for await (const rows of readTables(snapshot, domain.recount.ids))
      for (const [id] of rows) if (Buffer.isBuffer(id)) ids.add(eventIdOfBytes(id));
  });
  return ids;
}

/** A replica has all commits of the epochs that it knows as closed. */
async function lostBatches({ writer, reader }: Database, domain: string): Promise<readonly BatchId[]> {
  const { closedTo = -1 } = (await findEpochs(reader, domain)) ?? {};
  return findMissing(
    reader,
    domain,
    await listBatches(writer, domain, placeAt(closedTo + 1), Number.MAX_SAFE_INTEGER, allRows),
  );
}

async function notKept(reader: SqlReader, letters: readonly DeadLetter[]): Promise<readonly DeadLetter[]> {
  const kept = new Set((await listLetters(reader, {}, allRows)).map(({ id }) => id));
  return letters.filter(({ id }) => !kept.has(id));
}
