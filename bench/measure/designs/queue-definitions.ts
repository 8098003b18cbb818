import { domains } from "@tally/domains";
import type { Operator } from "@tally/local";
import { queuesOf } from "@tally/contract";

const vhost = "/";

/** Declares classic queues in memory, which end with the broker, before the apps start. No account may declare others:
 * the apps use these. */
export async function declareTransientQueues(operator: Operator, namespace: string): Promise<void> {
  const specs = domains.flatMap(({ name }) => Object.values(queuesOf(namespace, name)));
  const queues = specs.map(({ name }) => {
    return { vhost, name, durable: false, auto_delete: false, arguments: { "x-queue-type": "classic" } };
  });
  const bindings = specs.flatMap(({ name, exchange: source }) =>
    source === undefined
      ? []
      : [{ source, vhost, destination: name, destination_type: "queue", routing_key: name, arguments: {} }],
  );
  const exchanges = Array.from(new Set(bindings.map(({ source }) => source)), (name) => {
    return { name, vhost, type: "direct", durable: true, auto_delete: false, internal: false, arguments: {} };
  });
  await operator.importDefinitions(JSON.stringify({ queues, exchanges, bindings }));
  for (const account of ["tally_writer", "tally_maintenance"])
    await operator.rabbitmqctl("set_permissions", "-p", vhost, account, "^$", ".*", ".*");
}
