import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { filledTemplate, rolePasswords } from "../services/accounts.ts";
import { ChildServer } from "../process/child-server.ts";
import { converse } from "./converse.ts";
import type { ServerUser } from "../process/server-user.ts";
import type { Workshop } from "./context.ts";

export interface NodePlan {
  /** `rabbitmq`, or with a number behind it: of the server, and of the folder that it lives in. */
  readonly name: string;
  /** Part of the path of its data, so it must stay the same when the ports change. */
  readonly nodeName: string;
  /** All nodes of its cluster; empty when it is alone. Without data it joins one of those that run, else it begins a cluster. */
  readonly clusterNodeNames: readonly string[];
  /** The script that is rabbitmqctl for this node. */
  readonly controlCommand: string;
  readonly amqpPort: number;
  readonly distributionPort: number;
  readonly memoryShare: number;
  /** Of whose queues its accounts are for, as a regular expression. */
  readonly namespace: string;
  readonly user: ServerUser | undefined;
}

/** One private RabbitMQ node, not started yet. `epmdVariables` tell it where Erlang's name server is, which must run before. */
export async function rabbitmqNode(
  program: string,
  plan: NodePlan,
  epmdVariables: NodeJS.ProcessEnv,
  workshop: Workshop,
): Promise<ChildServer> {
  const { name, amqpPort, user } = plan;
  const folder = join(workshop.directory, name);
  await mkdir(join(folder, "conf.d"), { recursive: true });
  await writeFile(join(folder, "rabbitmq.conf"), configuration(plan, folder, workshop.configuration?.rabbitmq), {
    mode: 0o600,
  });
  await writeFile(join(folder, "definitions.json"), await definitions(plan, workshop), { mode: 0o600 });
  await writeFile(join(folder, "advanced.config"), "[].\n");
  await writeFile(join(folder, "enabled_plugins"), "[].\n");

  const environment = { ...epmdVariables, ...nodeEnvironment(folder, plan) };
  await writeControlCommand(join(dirname(program), "rabbitmqctl"), plan.controlCommand, environment, workshop);
  return new ChildServer(
    {
      name,
      program,
      args: [],
      environment,
      port: amqpPort,
      // The home holds the cookie by which nodes and rabbitmqctl know each other.
      user: user && { as: user, owns: [folder, join(workshop.directory, "home")] },
      // The listener opens last, when data and users are there; Connection.Start, a frame of type 1, says that AMQP is spoken.
      ready: async () => (await converse(amqpPort, "AMQP\0\0\x09\x01")).startsWith("\x01"),
    },
    workshop,
  );
}

// Users and what they may do; read at each start, before the listener opens.
const definitions = ({ namespace }: NodePlan, { passwords }: Workshop): Promise<string> =>
  filledTemplate("rabbitmq/definitions.json", { ...rolePasswords(passwords), admin: passwords.rabbitmq, namespace });

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
  // A node that does not see the majority stops serving: two halves never both take messages.
  "cluster_partition_handling = pause_minority",
];

// Every file that the broker would else look for in /etc and /var is named here.
const LOOPBACK_ONLY = "-kernel inet_dist_use_interface {127,0,0,1}";
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
  // Idle schedulers sleep at once and do not spin: the cores are shared with everything else.
  RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: `${LOOPBACK_ONLY} +sbwt none +sbwtdcpu none +sbwtdio none`,
  RABBITMQ_CTL_ERL_ARGS: LOOPBACK_ONLY,
  // Makes the script replace itself by the Erlang machine, so that our child's pid is the broker's. It has no other effect.
  RUNNING_UNDER_SYSTEMD: "true",
});

async function writeControlCommand(
  program: string,
  file: string,
  environment: NodeJS.ProcessEnv,
  workshop: Workshop,
): Promise<void> {
  const variables = Object.entries({ ...workshop.environment, ...environment });
  const lines = variables.map(([name, value]) => `export ${name}=${quoted(value ?? "")}`);
  await writeFile(file, ["#!/bin/sh", ...lines, `exec ${quoted(program)} "$@"`, ""].join("\n"));
  await chmod(file, 0o700);
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
