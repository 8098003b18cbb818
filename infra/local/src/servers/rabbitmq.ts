import { existsSync } from "node:fs";
import { join } from "node:path";
import { ChildServer } from "../process/child-server.ts";
import { converse } from "./converse.ts";
import { rabbitmqNode } from "./rabbitmq-node.ts";
import { serverUser } from "../process/server-user.ts";
import type { Workshop } from "./context.ts";

export interface RabbitmqPorts {
  readonly epmd: number;
  /** One for each node. */
  readonly nodes: readonly { readonly amqp: number; readonly distribution: number }[];
}

/** Matches every namespace. */
const ANY = ".+";

export interface Rabbitmq {
  /** Erlang's name server. The nodes need it. */
  readonly epmd: ChildServer;
  readonly nodes: readonly ChildServer[];
  /** Starts all; resolves when all serve. */
  start(): Promise<void>;
}

const MEMORY_SHARE = 0.4;

/**
 * A private RabbitMQ, not started yet: one node, or several that form a cluster. `<directory>/rabbitmqctl` is rabbitmqctl for
 * the one; of several each has its own, `rabbitmqctl-1` and so on.
 */
export async function rabbitmq(
  programs: { readonly server: string; readonly epmd: string },
  ports: RabbitmqPorts,
  workshop: Workshop,
  namespace: string = ANY,
): Promise<Rabbitmq> {
  const several = ports.nodes.length > 1;
  const numbered = (text: string, index: number): string => (several ? `${text}-${index + 1}` : text);
  const nodeName = (index: number): string => `${numbered(`tally${workshop.id}`, index)}@localhost`;

  const epmdVariables = { ERL_EPMD_ADDRESS: "127.0.0.1", ERL_EPMD_PORT: String(ports.epmd) };
  const user = serverUser(["rabbitmq"], programs.server, workshop);
  const epmd = new ChildServer(
    {
      name: "epmd",
      program: programs.epmd,
      args: [],
      environment: epmdVariables,
      port: ports.epmd,
      user: user && { as: user, owns: [] },
      // Request "names", a length of one byte before it; the answer begins with epmd's port.
      ready: async () => (await converse(ports.epmd, "\0\x01n")) !== "",
    },
    workshop,
  );
  const nodes = await Promise.all(
    ports.nodes.map(({ amqp, distribution }, index) =>
      rabbitmqNode(
        programs.server,
        {
          name: numbered("rabbitmq", index),
          nodeName: nodeName(index),
          clusterNodeNames: several ? ports.nodes.map((_, other) => nodeName(other)) : [],
          controlCommand: join(workshop.directory, numbered("rabbitmqctl", index)),
          amqpPort: amqp,
          distributionPort: distribution,
          memoryShare: MEMORY_SHARE / ports.nodes.length,
          namespace,
          user,
        },
        // erl would start an epmd by itself where none answers, as a daemon that outlives it.
        { ...epmdVariables, ERL_ZFLAGS: "-start_epmd false" },
        workshop,
      ),
    ),
  );
  return { epmd, nodes, start };

  async function start(): Promise<void> {
    await epmd.start();
    // Nodes that know each other wait for each other; one without data must find another that runs already.
    const known = nodes.filter(({ name }) => existsSync(join(workshop.directory, name, "data")));
    const first = known.length > 0 ? known : nodes.slice(0, 1);
    await Promise.all(first.map((node) => node.start()));
    await Promise.all(nodes.filter((node) => !first.includes(node)).map((node) => node.start()));
  }
}
