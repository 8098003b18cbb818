import { silentLog } from "@tally/failures";
import type { System } from "@tally/local";
import { connectPublisher } from "@tally/messaging";
import { queuesOf } from "@tally/pipeline";

/** Publishes messages to the queues of a domain, as a gateway does. Close it at the end. */
export async function openPublisher({ namespace, addresses }: System, domain: string) {
  const queues = queuesOf(namespace, domain);
  const publisher = connectPublisher({
    url: addresses.amqpUrl,
    connectionName: "test",
    queues: Object.values(queues),
    log: silentLog,
  });
  await publisher.ready;
  return {
    publish: (body: Buffer, messageId = "m", queue: "ingest" | "rank" = "ingest") =>
      publisher.publish({ queue: queues[queue].name, messageId, body }),
    close: () => publisher.close(),
  };
}
