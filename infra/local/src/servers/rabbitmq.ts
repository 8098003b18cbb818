import { existsSync } from "node:fs";
import { join } from "node:path";
import { ChildServer } from "../process/child-server.ts";
import type { ServerContext } from "./context.ts";
import { rabbitmqNode } from "./rabbitmq-node.ts";
import { sendAndReceive } from "./send-and-receive.ts";
import { serverUser } from "../process/server-user.ts";

export interface RabbitmqPorts {
  readonly epmd: number;
  /** One for each node. */
  readonly nodes: readonly { readonly amqp: number; readonly distribution: number }[];
}

export interface Rabbitmq {
  /** Erlang's name server. The nodes need it. */
  readonly epmd: ChildServer;
  readonly nodes: readonly ChildServer[];
  /** Starts epmd and the nodes. Resolves when all serve. */
  start(): Promise<void>;
}

// Of the machine's memory, for all nodes together.
const memoryShare = 0.4;

/**
 * A private RabbitMQ, not started yet: one node, or several that form a cluster. `<directory>/rabbitmqctl` controls the one node;
 * each of several nodes has its own script, `rabbitmqctl-1` and so on. `namespace` is a regular expression; default: every namespace.
 */
export async function rabbitmq(
  programs: { readonly server: string; readonly epmd: string },
  ports: RabbitmqPorts,
  context: ServerContext,
  namespace = ".+",
): Promise<Rabbitmq> {
  const several = ports.nodes.length > 1;
  const numbered = (text: string, index: number): string => (several ? `${text}-${index + 1}` : text);
  const nodeName = (index: number): string => `${numbered(`tally${context.id}`, index)}@localhost`;

  const epmdVariables = { ERL_EPMD_ADDRESS: "127.0.0.1", ERL_EPMD_PORT: String(ports.epmd) };
  const user = serverUser(["rabbitmq"], programs.server, context);
  const epmd = new ChildServer(
    {
      name: "epmd",
      program: programs.epmd,
      args: [],
      environment: epmdVariables,
      port: ports.epmd,
      user: user && { as: user, owns: [] },
      // The request "names" after its length of one byte. The response begins with epmd's port.
      ready: async () => (await sendAndReceive(ports.epmd, "\0\x01n")) !== "",
    },
    context,
  );
  const nodes = await Promise.all(
    ports.nodes.map(({ amqp, distribution }, index) =>
      rabbitmqNode(
        programs.server,
        {
          name: numbered("rabbitmq", index),
          nodeName: nodeName(index),
          clusterNodeNames: several ? ports.nodes.map((_, other) => nodeName(other)) : [],
          controlCommand: join(context.directory, numbered("rabbitmqctl", index)),
          amqpPort: amqp,
          distributionPort: distribution,
          memoryShare: memoryShare / ports.nodes.length,
          namespace,
          user,
        },
        // When no epmd responds, erl would start one, as a daemon that outlives it.
        { ...epmdVariables, ERL_ZFLAGS: "-start_epmd false" },
        context,
      ),
    ),
  );
  return { epmd, nodes, start };

  async function start(): Promise<void> {
    await epmd.start();
    // Nodes of an existing cluster wait for each other. A node without data must find a running node.
    const members = nodes.filter(({ name }) => existsSync(join(context.directory, name, "data")));
    const first = members.length > 0 ? members : nodes.slice(0, 1);
    await Promise.all(first.map((node) => node.start()));
    await Promise.all(nodes.filter((node) => !first.includes(node)).map((node) => node.start()));
  }
}
