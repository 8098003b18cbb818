import { connectPublisher } from "@tally/broker";
import { queuesOf } from "@tally/contract";
import type { System } from "@tally/local";
import { silentLog } from "@tally/runtime";
import { atEnd } from "./at-end.ts";

/** Publishes messages to the queues of a domain, as a gateway does, until the end of the test or of the file. */
export async function openPublisher({ namespace, addresses }: System, domain: string) {
  const queues = queuesOf(namespace, domain);
  const publisher = connectPublisher({
    url: addresses.amqpUrl,
    connectionName: "test",
    queues: Object.values(queues),
    log: silentLog,
  });
  atEnd(() => publisher.close());
  await publisher.ready;
  return (body: Buffer, messageId = "m", queue: "ingest" | "rank" = "ingest") =>
    publisher.publish({ queue: queues[queue].name, messageId, body });
}
