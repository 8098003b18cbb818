import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ChildServer } from "../process/child-server.ts";
import { type ServerContext, filledTemplate } from "./context.ts";
import { sendAndReceive } from "../process/until.ts";

export interface RabbitmqPorts {
  readonly epmd: number;
  /** One for each node. */
  readonly nodes: readonly { readonly amqp: number; readonly distribution: number }[];
}

/** A private RabbitMQ node or cluster, not started yet. `<directory>/rabbitmqctl` (of several `-1`, …) controls it.
 * `epmd`: Erlang's name server, which the nodes need. `start` resolves when all serve. */
export async function rabbitmq(
  programs: { readonly server: string; readonly epmd: string },
  ports: RabbitmqPorts,
  context: ServerContext,
  namespace = ".+",
) {
  const { directory, passwords } = context;
  const several = ports.nodes.length > 1;
  const numbered = (text: string, index: number): string => (several ? `${text}-${index + 1}` : text);
  // Part of the path of a node's data, so it must stay the same when the ports change.
  const nodeNames = ports.nodes.map((_, index) => `${numbered(`tally${context.id}`, index)}@localhost`);

  const epmdVariables = { ERL_EPMD_ADDRESS: "127.0.0.1", ERL_EPMD_PORT: String(ports.epmd) };
  const epmd = new ChildServer(
    {
      name: "epmd",
      program: programs.epmd,
      args: [],
      environment: epmdVariables,
      port: ports.epmd,
      // The request "names" after its length of one byte. The response begins with epmd's port.
      ready: async () => (await sendAndReceive(ports.epmd, "\0\x01n")) !== "",
    },
    context,
  );
  // Users and their permissions. A node reads them at each start, before the listener opens.
  const values = { ...passwords, admin: passwords.rabbitmq, namespace };
  const definitions = await filledTemplate("rabbitmq/definitions.json", values);
  const nodes = await Promise.all(
    ports.nodes.map(async ({ amqp, distribution }, index) => {
      const name = numbered("rabbitmq", index);
      const folder = join(directory, name);
      await mkdir(join(folder, "conf.d"), { recursive: true });
      await writeFile(join(folder, "rabbitmq.conf"), configuration(amqp, folder, nodeNames, context), { mode: 0o600 });
      await writeFile(join(folder, "definitions.json"), definitions, { mode: 0o600 });
      await writeFile(join(folder, "advanced.config"), "[].\n");
      await writeFile(join(folder, "enabled_plugins"), "[].\n");
      const environment = {
        ...epmdVariables,
        // When no epmd responds, erl would start one, as a daemon that outlives it.
        ERL_ZFLAGS: "-start_epmd false",
        RABBITMQ_NODENAME: nodeNames[index],
        RABBITMQ_DIST_PORT: String(distribution),
        ...filesIn(folder),
        ...erlangOptions,
      };
      const control = controlScript(join(dirname(programs.server), "rabbitmqctl"), {
        ...context.environment,
        ...environment,
      });
      await writeFile(join(directory, numbered("rabbitmqctl", index)), control, { mode: 0o700 });
      return new ChildServer(
        {
          name,
          program: programs.server,
          args: [],
          environment,
          port: amqp,
          ready: () => brokerResponds(amqp),
        },
        context,
      );
    }),
  );
  return { epmd, nodes, start };

  async function start(): Promise<void> {
    await epmd.start();
    // Nodes of an existing cluster wait for each other. A node without data must find a running node.
    const members = nodes.filter(({ name }) => existsSync(join(directory, name, "data")));
    const first = members.length > 0 ? members : nodes.slice(0, 1);
    await Promise.all(first.map((node) => node.start()));
    await Promise.all(nodes.filter((node) => !first.includes(node)).map((node) => node.start()));
  }
}

/** Whether a broker serves. Its listener opens last, after data and users are loaded. Connection.Start, a frame of type
 * 1, is the first response of AMQP. */
export const brokerResponds = async (port: number): Promise<boolean> =>
  (await sendAndReceive(port, "AMQP\0\0\x09\x01")).startsWith("\x01");

// The share of the machine's memory, for all nodes together.
const memoryShare = 0.4;

const configuration = (
  amqpPort: number,
  folder: string,
  nodeNames: readonly string[],
  context: ServerContext,
): string =>
  [
    `listeners.tcp.default = 127.0.0.1:${amqpPort}`,
    `load_definitions = ${join(folder, "definitions.json")}`,
    "disk_free_limit.absolute = 500MB",
    `vm_memory_high_watermark.relative = ${memoryShare / nodeNames.length}`,
    ...(nodeNames.length === 1 ? [] : clusterConfiguration(nodeNames)),
    ...(context.configuration?.rabbitmq ?? []),
    "",
  ].join("\n");

// A node without data joins a running one; if none runs, it forms a new cluster.
const clusterConfiguration = (nodeNames: readonly string[]): readonly string[] => [
  "cluster_formation.peer_discovery_backend = classic_config",
  ...nodeNames.map((nodeName, index) => `cluster_formation.classic_config.nodes.${index + 1} = ${nodeName}`),
  // A node that does not see the majority stops serving: two halves never both accept messages.
  "cluster_partition_handling = pause_minority",
];

// Names every file that the broker would otherwise look for in /etc and /var.
const filesIn = (folder: string): NodeJS.ProcessEnv => ({
  RABBITMQ_MNESIA_BASE: join(folder, "data"),
  RABBITMQ_SCHEMA_DIR: join(folder, "schema"),
  RABBITMQ_LOG_BASE: join(folder, "log"),
  RABBITMQ_LOGS: "-",
  RABBITMQ_PID_FILE: join(folder, "pid"),
  RABBITMQ_CONF_ENV_FILE: "/dev/null",
  RABBITMQ_CONFIG_FILE: join(folder, "rabbitmq.conf"),
  RABBITMQ_CONFIG_FILES: join(folder, "conf.d"),
  RABBITMQ_ADVANCED_CONFIG_FILE: join(folder, "advanced.config"),
  RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, "enabled_plugins"),
});

const loopbackOnly = "-kernel inet_dist_use_interface {127,0,0,1}";
const erlangOptions: NodeJS.ProcessEnv = {
  // Idle schedulers sleep at once and do not spin, because all other processes share the cores.
  RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: `${loopbackOnly} +sbwt none +sbwtdcpu none +sbwtdio none`,
  RABBITMQ_CTL_ERL_ARGS: loopbackOnly,
  // Makes the script exec the Erlang VM, so that the child's pid is the broker's. It has no other effect.
  RUNNING_UNDER_SYSTEMD: "true",
};

function controlScript(program: string, environment: NodeJS.ProcessEnv): string {
  const lines = Object.entries(environment).map(([name, value]) => `export ${name}=${quoted(value ?? "")}`);
  return ["#!/bin/sh", ...lines, `exec ${quoted(program)} "$@"`, ""].join("\n");
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
