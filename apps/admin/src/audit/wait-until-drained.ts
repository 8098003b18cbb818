import { setTimeout as delay } from "node:timers/promises";
import { connectPublisher } from "@tally/broker";
import { lookAt, untilDrained } from "@tally/reconcile";
import { queuesOf, type Domain } from "@tally/contract";
import type { Servers } from "../open-servers.ts";
import type { Progress } from "@tally/runtime/progress";

interface Waiting {
  readonly endpoint: "read" | "write";
  readonly withinMs: number;
  readonly progress: Progress;
}

/** Waits until nothing is under way, and shows what it waits for. Returns what still is after `withinMs`, else an empty list. */
export async function waitUntilDrained(
  { config, log, database, rankings }: Servers,
  domains: readonly Domain[],
  { endpoint, withinMs, progress }: Waiting,
): Promise<readonly string[]> {
  const { namespace, amqpUrl: url } = config;
  const queues = domains.flatMap(({ name }) => {
    const { ingest, rank } = queuesOf(namespace, name);
    return [ingest, rank];
  });
  const broker = connectPublisher({ url, connectionName: "tally audit", queues, log });
  try {
    await Promise.race([broker.ready, delay(withinMs, undefined, { ref: false })]);
    const queueDepth = (queue: string) => broker.queueDepth(queue);
    const onProgress = ([first]: readonly string[]) =>
      progress.note(first === undefined ? "nothing is under way" : `waits, because ${first}`);
    const look = lookAt({ domains, namespace, database, rankings, queueDepth, endpoint });
    return await untilDrained(look, { withinMs, onProgress });
  } finally {
    await broker.close();
  }
}
