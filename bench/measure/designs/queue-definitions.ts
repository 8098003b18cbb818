import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { domains } from "@tally/domains";
import type { PrivateServices } from "@tally/local";
import { queuesOf, type QueueSpec } from "@tally/contract";
import { designOf, type DesignName, type Durability } from "./designs.ts";

/** The queue of the third subscriber, for the batches of all domains. */
export const thirdQueueOf = (namespace: string): string => `${namespace}.third`;

const vhost = "/";
const direct = { vhost, type: "direct", durable: true, auto_delete: false, internal: false, arguments: {} };
const durable = { vhost, durable: true, auto_delete: false };

/** What RabbitMQ imports before the apps start; `isComplete`: all queues. undefined: the apps declare all. */
export function queueDefinitions(designName: DesignName, durability: Durability, namespace: string) {
  const design = designOf(designName);
  const own = domains.flatMap(({ name }) => Object.values(queuesOf(namespace, name)));
  const isTransient = durability === "transient";
  const isComplete = isTransient || design.queues === "classic";
  if (!isComplete && design.fansOut !== true) return undefined;

  const ingest = own.filter(({ exchange }) => exchange !== undefined);
  const third = { ...durable, name: thirdQueueOf(namespace), arguments: { "x-queue-type": "quorum" } };
  const declared = isComplete ? own.map((spec) => (isTransient ? transient(spec) : classic(spec))) : [];
  return {
    isComplete,
    definitions: {
      queues: [...declared, ...(design.fansOut === true ? [third] : [])],
      exchanges: Array.from(new Set(ingest.map(({ exchange }) => exchange)), (name) => ({ name, ...direct })),
      bindings: [
        ...(isComplete ? own : []).flatMap((spec) => bound(spec, spec.name)),
        ...(design.fansOut === true ? ingest : []).flatMap((spec) => bound(spec, third.name)),
      ],
    },
  };
}

/** Ends with the broker. */
function transient({ name }: QueueSpec) {
  return { vhost, name, durable: false, auto_delete: false, arguments: { "x-queue-type": "classic" } };
}

/** The limits of the quorum queue that it replaces. A classic queue has no delivery limit. */
function classic({ name, messagesMax, deadLetterTo }: QueueSpec) {
  return {
    ...durable,
    name,
    arguments: {
      "x-queue-type": "classic",
      ...(messagesMax !== undefined && { "x-max-length": messagesMax, "x-overflow": "reject-publish" }),
      ...(deadLetterTo !== undefined && { "x-dead-letter-exchange": "", "x-dead-letter-routing-key": deadLetterTo }),
    },
  };
}

/** `queue` gets what is published for the queue of `spec`. */
function bound({ name, exchange: source }: QueueSpec, destination: string) {
  if (source === undefined) return [];
  return [{ source, vhost, destination, destination_type: "queue", routing_key: name, arguments: {} }];
}

/** Imports the definitions. Where they are complete, no account may declare queues: the apps use these. */
export async function declareQueues(
  { operator }: PrivateServices,
  { isComplete, definitions }: NonNullable<ReturnType<typeof queueDefinitions>>,
  directory: string,
): Promise<void> {
  const file = join(directory, "queue-definitions.json");
  await writeFile(file, JSON.stringify(definitions));
  await operator.rabbitmqctl("import_definitions", file);
  if (!isComplete) return;
  for (const account of ["tally_writer", "tally_maintenance"])
    await operator.rabbitmqctl("set_permissions", "-p", vhost, account, "^$", ".*", ".*");
}
