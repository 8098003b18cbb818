import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ChildServer } from "../process/child-server.ts";
import type { ServerUser } from "../process/server-user.ts";
import type { ServerContext } from "./context.ts";
import { sendAndReceive } from "./send-and-receive.ts";
import { filledTemplate } from "./template.ts";

export interface NodePlan {
  /** `rabbitmq`, or `rabbitmq-1` and so on: the name of the server and of its folder. */
  readonly name: string;
  /** Part of the path of its data, so it must stay the same when the ports change. */
  readonly nodeName: string;
  /** All nodes of its cluster; empty for a single node. A node without data joins a running one; if none runs, it forms a new cluster. */
  readonly clusterNodeNames: readonly string[];
  /** The path of the script that runs rabbitmqctl for this node. */
  readonly controlCommand: string;
  readonly amqpPort: number;
  readonly distributionPort: number;
  readonly memoryShare: number;
  /** The namespace whose queues its accounts may use, as a regular expression. */
  readonly namespace: string;
  readonly user: ServerUser | undefined;
}

/** One private RabbitMQ node, not started yet. `epmdVariables` locate Erlang's name server, which must run first. */
export async function rabbitmqNode(
  program: string,
  plan: NodePlan,
  epmdVariables: NodeJS.ProcessEnv,
  context: ServerContext,
): Promise<ChildServer> {
  const { name, amqpPort, user } = plan;
  const folder = join(context.directory, name);
  await mkdir(join(folder, "conf.d"), { recursive: true });
  await writeFile(join(folder, "rabbitmq.conf"), configuration(plan, folder, context.configuration?.rabbitmq), {
    mode: 0o600,
  });
  await writeFile(join(folder, "definitions.json"), await definitions(plan, context), { mode: 0o600 });
  await writeFile(join(folder, "advanced.config"), "[].\n");
  await writeFile(join(folder, "enabled_plugins"), "[].\n");

  const environment = { ...epmdVariables, ...nodeEnvironment(folder, plan) };
  await writeControlCommand(join(dirname(program), "rabbitmqctl"), plan.controlCommand, environment, context);
  return new ChildServer(
    {
      name,
      program,
      args: [],
      environment,
      port: amqpPort,
      // The home has the cookie by which nodes and rabbitmqctl authenticate.
      user: user && { as: user, owns: [folder, join(context.directory, "home")] },
      // The listener opens last, after data and users are loaded. Connection.Start, a frame of type 1, is the first response of AMQP.
      ready: async () => (await sendAndReceive(amqpPort, "AMQP\0\0\x09\x01")).startsWith("\x01"),
    },
    context,
  );
}

// Users and their permissions. The node reads them at each start, before the listener opens.
const definitions = ({ namespace }: NodePlan, { passwords }: ServerContext): Promise<string> =>
  filledTemplate("rabbitmq/definitions.json", { ...passwords, admin: passwords.rabbitmq, namespace });

const configuration = (
  { amqpPort, memoryShare, clusterNodeNames }: NodePlan,
  folder: string,
  more: readonly string[] = [],
): string =>
  [
    `listeners.tcp.default = 127.0.0.1:${amqpPort}`,
    `load_definitions = ${join(folder, "definitions.json")}`,
    "disk_free_limit.absolute = 500MB",
    `vm_memory_high_watermark.relative = ${memoryShare}`,
    ...(clusterNodeNames.length === 0 ? [] : clusterConfiguration(clusterNodeNames)),
    ...more,
    "",
  ].join("\n");

const clusterConfiguration = (nodeNames: readonly string[]): readonly string[] => [
  "cluster_formation.peer_discovery_backend = classic_config",
  ...nodeNames.map((nodeName, index) => `cluster_formation.classic_config.nodes.${index + 1} = ${nodeName}`),
  // A node that does not see the majority stops serving: two halves never both accept messages.
  "cluster_partition_handling = pause_minority",
];

// Names every file that the broker would otherwise look for in /etc and /var.
const loopbackOnly = "-kernel inet_dist_use_interface {127,0,0,1}";
const nodeEnvironment = (folder: string, plan: NodePlan): NodeJS.ProcessEnv => ({
  RABBITMQ_NODENAME: plan.nodeName,
  RABBITMQ_DIST_PORT: String(plan.distributionPort),
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
  // Idle schedulers sleep at once and do not spin, because all other processes share the cores.
  RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: `${loopbackOnly} +sbwt none +sbwtdcpu none +sbwtdio none`,
  RABBITMQ_CTL_ERL_ARGS: loopbackOnly,
  // Makes the script exec the Erlang VM, so that the child's pid is the broker's. It has no other effect.
  RUNNING_UNDER_SYSTEMD: "true",
});

async function writeControlCommand(
  program: string,
  file: string,
  environment: NodeJS.ProcessEnv,
  context: ServerContext,
): Promise<void> {
  const variables = Object.entries({ ...context.environment, ...environment });
  const lines = variables.map(([name, value]) => `export ${name}=${quoted(value ?? "")}`);
  await writeFile(file, ["#!/bin/sh", ...lines, `exec ${quoted(program)} "$@"`, ""].join("\n"));
  await chmod(file, 0o700);
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
