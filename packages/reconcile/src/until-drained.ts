import { setTimeout as delay } from "node:timers/promises";
import { listBatches, newestStored, placeAt, readEpochs, readyLetters, type Database } from "@tally/database";
import { queuesOf, textOfBatchId, type Domain, type SqlReader } from "@tally/contract";
import type { Rankings } from "@tally/redis";

export interface Look {
  /** Differs from the previous look's when anything was stored in between. */
  readonly progress: string;
  /** Returns what is under way if there was no progress for this long. Empty: the system has drained. */
  readonly underWay: (stillForMs: number) => Promise<readonly string[]>;
}

export interface DrainOptions {
  readonly withinMs: number;
  readonly everyMs?: number;
  readonly onProgress?: (underWay: readonly string[]) => void;
}

export interface LookOptions {
  readonly domains: readonly (Pick<Domain, "name"> & { readonly store: Pick<Domain["store"], "awaited"> })[];
  readonly namespace: string;
  readonly database: Pick<Database, "reader" | "writer">;
  readonly rankings: Pick<Rankings, "state" | "unmarked">;
  /** The number of messages in a queue; undefined: the broker does not respond. */
  readonly queueDepth: (queue: string) => Promise<number | undefined>;
  /** "read": the read endpoint must be as new as the write endpoint. */
  readonly endpoint: "read" | "write";
}

// Batches that a consumer holds are invisible from outside; the ledger shows when they are stored.
const quietForMs = 1500;
// An older batch without a mark is a difference. A ranker repairs it 3 to 7 s after its epoch was closed. An epoch takes
// 5 s, or less with several rankers. More epochs could have more batches than a look reads.
const recentEpochs = 4;

/** Looks until nothing is under way; returns what still is after `withinMs`. */
export async function untilDrained(
  look: () => Promise<Look>,
  { withinMs, everyMs = 250, onProgress }: DrainOptions,
): Promise<readonly string[]> {
  const deadline = performance.now() + withinMs;
  let last: string | undefined;
  let movedAt = 0;
  for (;;) {
    const { progress, underWay } = await look();
    if (progress !== last) movedAt = performance.now();
    last = progress;
    const left = await underWay(performance.now() - movedAt);
    onProgress?.(left);
    if (left.length === 0 || performance.now() > deadline) return left;
    await delay(everyMs);
  }
}

type Drained = LookOptions["domains"][number];

/** A system has drained when its rankings are built, its queues are empty, the ledger has had nothing new for 1.5 s,
 * the batches of the newest epochs are marked, no parked event can be stored, and the read endpoint has all. */
export function lookAt({ domains, namespace, database, rankings, queueDepth, endpoint }: LookOptions) {
  const queues = domains.flatMap(({ name }) => {
    const { ingest, rank } = queuesOf(namespace, name);
    return [ingest.name, rank.name];
  });
  // The newest batches at the last look, and how many have become visible until then.
  let [last, seen] = [new Set<string>(), 0];

  async function storedUnderWay({ name: domain, store }: Drained, newest: Newest): Promise<readonly string[]> {
    const left: string[] = [];
    const { name: state } = await rankings.state(domain);
    if (state === "unbuilt" && newest.storedAt > 0) left.push(`the rankings of ${domain} are not built yet`);
    const { length } = await rankings.unmarked(domain, newest.batches);
    if (length > 0) left.push(`${length} batches of ${domain} are stored and not ranked yet`);
    const { awaited } = store;
    if (awaited !== undefined && (await readyLetters(database.writer, domain, awaited, 1)).length > 0)
      left.push(`events of ${domain} that waited for others are not stored yet`);
    if (endpoint === "read") {
      const { storedAt, batches } = await newestOf(database.reader, domain, newest.epoch);
      if (storedAt !== newest.storedAt || batches.length !== newest.batches.length)
        left.push("the read endpoint is behind the write endpoint");
    }
    return left;
  }

  return async (): Promise<Look> => {
    const left = new Set<string>();
    // Before the ledger: a batch that leaves its queue meanwhile is new in the ledger or still under way.
    for (const queue of queues) {
      const messages = await queueDepth(queue);
      if (messages === undefined) left.add("the broker does not respond");
      else if (messages > 0) left.add(`${messages} messages wait in ${queue}`);
    }
    const all = await Promise.all(
      domains.map(async (domain) => {
        const { newest } = await readEpochs(database.writer, domain.name);
        return [domain, await newestOf(database.writer, domain.name, newest.epoch)] as const;
      }),
    );
    const ids = all.flatMap(([, { batches }]) => batches.map(textOfBatchId));
    seen += ids.filter((id) => !last.has(id)).length;
    last = new Set(ids);
    return {
      progress: [seen, ...all.map(([, { storedAt }]) => storedAt)].join(),
      async underWay(stillForMs) {
        if (stillForMs < quietForMs) left.add("batches are being stored");
        for (const [domain, newest] of all) for (const one of await storedUnderWay(domain, newest)) left.add(one);
        return [...left];
      },
    };
  };
}

type Newest = Awaited<ReturnType<typeof newestOf>>;

/** The batches of the newest epochs, which new ones join, and when the newest of all was stored. */
async function newestOf(reader: SqlReader, domain: string, epoch: number) {
  const from = placeAt(Math.max(0, epoch - recentEpochs));
  const batches = await listBatches(reader, domain, from, epoch + 1, 100_000);
  const storedAt = (await newestStored(reader, [domain])).get(domain) ?? 0;
  return { epoch, batches, storedAt };
}
