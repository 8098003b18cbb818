import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { domains } from "@tally/domains";
import type { PrivateServices } from "@tally/local";
import { queuesOf } from "@tally/pipeline";

/**
 * Declares the queues of all domains as classic queues that end with the broker. Then takes the right to declare queues from all accounts, so
 * that the apps use the existing ones.
 */
export async function declareTransientQueues(
  { operator }: PrivateServices,
  { directory, namespace }: { readonly directory: string; readonly namespace: string },
): Promise<void> {
  const vhost = "/";
  const specs = domains.flatMap(({ name }) => Object.values(queuesOf(namespace, name)));
  const classic = { vhost, durable: false, auto_delete: false, arguments: { "x-queue-type": "classic" } };
  const queues = specs.map(({ name }) => ({ name, ...classic }));
  const direct = { vhost, type: "direct", durable: true, auto_delete: false, internal: false, arguments: {} };
  const exchanges = Array.from(new Set(specs.flatMap(({ exchange }) => exchange ?? [])), (name) => ({
    name,
    ...direct,
  }));
  const bindings = specs.flatMap(({ name, exchange: source }) =>
    source === undefined
      ? []
      : [{ source, vhost, destination: name, destination_type: "queue", routing_key: name, arguments: {} }],
  );
  const file = join(directory, "transient-queues.json");
  await writeFile(file, JSON.stringify({ queues, exchanges, bindings }));
  await operator.rabbitmqctl("import_definitions", file);
  for (const account of ["tally_writer", "tally_maintenance"])
    await operator.rabbitmqctl("set_permissions", "-p", vhost, account, "^$", ".*", ".*");
}
