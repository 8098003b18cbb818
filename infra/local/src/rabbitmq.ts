import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ChildServer } from "./child-server.ts";
import { converse } from "./converse.ts";
import type { Workshop } from "./workshop.ts";

/**
 * A private RabbitMQ node and the epmd (Erlang's name server) that it needs, neither started yet: epmd first. The broker would start
 * an epmd by itself, but as a daemon that outlives it. `<directory>/rabbitmqctl` is rabbitmqctl for this node.
 */
export async function rabbitmq(
  programs: { readonly server: string; readonly epmd: string },
  ports: { readonly amqp: number; readonly distribution: number; readonly epmd: number },
  workshop: Workshop,
): Promise<{ readonly epmd: ChildServer; readonly broker: ChildServer }> {
  const folder = join(workshop.directory, "rabbitmq");
  await mkdir(join(folder, "conf.d"), { recursive: true });
  await writeFile(join(folder, "rabbitmq.conf"), configuration(ports.amqp, workshop.passwords.rabbitmq), {
    mode: 0o600,
  });
  await writeFile(join(folder, "advanced.config"), "[].\n");
  await writeFile(join(folder, "enabled_plugins"), "[].\n");

  const names = { ERL_EPMD_ADDRESS: "127.0.0.1", ERL_EPMD_PORT: String(ports.epmd) };
  const environment = { ...names, ...nodeEnvironment(folder, workshop.id, ports.distribution) };
  await writeControlCommand(join(dirname(programs.server), "rabbitmqctl"), environment, workshop);

  const epmd = new ChildServer(
    {
      name: "epmd",
      program: programs.epmd,
      args: [],
      environment: names,
      port: ports.epmd,
      // Request "names", a length of one byte before it; the answer begins with epmd's port.
      ready: async () => (await converse(ports.epmd, "\0\x01n")) !== "",
    },
    workshop,
  );
  const broker = new ChildServer(
    {
      name: "rabbitmq",
      program: programs.server,
      args: [],
      environment,
      port: ports.amqp,
      // The listener opens last, when data and users are there; Connection.Start, a frame of type 1, says that AMQP is spoken.
      ready: async () => (await converse(ports.amqp, "AMQP\0\0\x09\x01")).startsWith("\x01"),
    },
    workshop,
  );
  return { epmd, broker };
}

const configuration = (port: number, password: string): string => `listeners.tcp.default = 127.0.0.1:${port}
default_user = tally
default_pass = ${password}
disk_free_limit.absolute = 500MB
vm_memory_high_watermark.relative = 0.4
`;

// Every file that the broker would else look for in /etc and /var is named here. The node name is part of the path of its data,
// so it must stay the same when the ports change.
const LOOPBACK_ONLY = "-kernel inet_dist_use_interface {127,0,0,1}";
const nodeEnvironment = (folder: string, id: string, distributionPort: number): NodeJS.ProcessEnv => ({
  RABBITMQ_NODENAME: `tally${id}@localhost`,
  RABBITMQ_DIST_PORT: String(distributionPort),
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

async function writeControlCommand(program: string, environment: NodeJS.ProcessEnv, workshop: Workshop): Promise<void> {
  const variables = Object.entries({ ...workshop.environment, ...environment });
  const lines = variables.map(([name, value]) => `export ${name}=${quoted(value ?? "")}`);
  const file = join(workshop.directory, "rabbitmqctl");
  await writeFile(file, ["#!/bin/sh", ...lines, `exec ${quoted(program)} "$@"`, ""].join("\n"));
  await chmod(file, 0o700);
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
