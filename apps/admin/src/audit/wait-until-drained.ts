import { setTimeout as delay } from "node:timers/promises";
import { listBatches, placeAt, readTotals } from "@tally/database";
import { connectPublisher } from "@tally/broker";
import { untilDrained } from "@tally/reconcile";
import { queuesOf, type Domain, type SqlReader } from "@tally/contract";
import type { Servers } from "../open-servers.ts";
import type { Progress } from "../progress.ts";

const pollEveryMs = 250;
const emptyLedger = "0/0";
// Batches that a consumer holds are invisible from outside; the ledger shows when they are stored.
const quietForMs = 1500;
// An older batch without a mark is a difference: the ranker repairs missed batches within 12 s.
const recentMs = 30_000;

interface Waiting {
  readonly endpoint: "read" | "write";
  readonly withinMs: number;
  readonly progress: Progress;
}

/**
 * Waits until nothing is under way: rankings built, queues empty, nothing new in the ledger for 1.5 s, the batches of the last 30 s marked,
 * and the read endpoint as new as the write endpoint. Returns what is still under way after `withinMs`, else an empty list.
 */
export async function waitUntilDrained(
  servers: Servers,
  domains: readonly Domain[],
  { endpoint, withinMs, progress }: Waiting,
): Promise<readonly string[]> {
  const queues = domains.flatMap((domain) => {
    const { ingest, rank } = queuesOf(servers.config.namespace, domain.name);
    return [ingest, rank];
  });
  const { config, log, database, rankings } = servers;
  const broker = connectPublisher({ url: config.amqpUrl, connectionName: "tally audit", queues, log });
  try {
    await Promise.race([broker.ready, delay(withinMs, undefined, { ref: false })]);
    const observe = async () => {
      const underWay = new Set<string>();
      // Before the ledger: a batch that leaves its queue meanwhile is new in the ledger or still under way.
      for (const { name } of queues) {
        const messages = await broker.queueDepth(name);
        if (messages !== 0)
          underWay.add(messages === undefined ? "the broker does not respond" : `${messages} messages wait in ${name}`);
      }
      const newest = await Promise.all(domains.map((domain) => newestOf(database.writer, domain)));
      return { progress: newest.join(), underWay: (stillForMs: number) => complete(underWay, newest, stillForMs) };
    };
    const complete = async (underWay: Set<string>, newest: readonly string[], stillForMs: number) => {
      if (stillForMs < quietForMs) underWay.add("batches are being stored");
      for (const [index, domain] of domains.entries()) {
        const { name } = await rankings.state(domain.name);
        if (name === "unbuilt" && newest[index] !== emptyLedger)
          underWay.add(`the rankings of ${domain.name} are not built yet`);
        const unmarked = await recentUnmarked(servers, domain);
        if (unmarked > 0) underWay.add(`${unmarked} batches of ${domain.name} are stored and not ranked yet`);
        if (endpoint === "write") continue;
        if ((await newestOf(database.reader, domain)) !== newest[index]) {
          underWay.add("the read endpoint is behind the write endpoint");
        }
      }
      const [first] = underWay;
      progress.note(first === undefined ? "nothing is under way" : `waits, because ${first}`);
      return [...underWay];
    };
    return await untilDrained(observe, { everyMs: pollEveryMs, withinMs });
  } finally {
    await broker.close();
  }
}

async function newestOf(reader: SqlReader, domain: Domain): Promise<string> {
  const { newest, batches } = await readTotals(reader, domain.name);
  return `${newest}/${batches}`;
}

async function recentUnmarked({ database, rankings }: Servers, domain: Domain): Promise<number> {
  const now = Date.now();
  const page = await listBatches(database.writer, domain.name, placeAt(now - recentMs), now + recentMs, 100_000);
  return (await rankings.unmarked(domain.name, page)).length;
}
