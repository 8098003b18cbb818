import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ChildServer } from "../process/child-server.ts";
import { type ServerContext, filledTemplate } from "./context.ts";
import { sendAndReceive } from "./send-and-receive.ts";

const dataDirectory = (context: ServerContext, name: string): string => join(context.directory, name);

/** Deletes the data of a Redis that does not run. */
export const wipeRedis = (context: ServerContext, name: string): Promise<void> =>
  rm(join(dataDirectory(context, name), "dump.rdb"), { force: true });

/** The first bytes of the response to a command of the administrator, also to a rejected password; empty when there is none. */
export const redisCommand = (
  { port, password }: { readonly port: number; readonly password: string },
  command: string,
  timeoutMs = 2000,
): Promise<string> =>
  sendAndReceive(port, `AUTH tally ${password}\r\n${command}\r\n`, {
    timeoutMs,
    select: (received) => received.replace(/^\+OK\r\n/, ""),
  });

interface RedisPlan {
  readonly name: string;
  readonly port: number;
  /** Of a node of a cluster: where the other nodes reach it. */
  readonly busPort?: number | undefined;
  /** Whose keys its accounts may use; default all. */
  readonly namespace?: string | undefined;
}

/** A private Redis or Valkey, not started yet. Keeps its data in snapshots. */
export async function redis(
  program: string,
  { name, port, busPort, namespace = "*" }: RedisPlan,
  context: ServerContext,
): Promise<ChildServer> {
  const data = dataDirectory(context, name);
  const configFile = join(context.directory, `${name}.conf`);
  await mkdir(data, { recursive: true });
  const { passwords } = context;
  const users = await filledTemplate("redis/users.conf", {
    ...passwords,
    admin: passwords.redis,
    namespace,
  });
  const cluster = busPort === undefined ? [] : clusterConfiguration(busPort, passwords.redis);
  const lines = [configuration(port, data), ...cluster, users, ...(context.configuration?.redis ?? []), ""];
  await writeFile(configFile, lines.join("\n"), { mode: 0o600 });
  return new ChildServer(
    {
      name,
      program,
      args: [configFile],
      // Accesses to boards are spread over all memory: with large pages Redis needs a tenth less CPU once boards have some million members.
      environment: { MALLOC_CONF: "thp:always" },
      port,
      // While it loads its file it responds with -LOADING.
      ready: async () => (await redisCommand({ port, password: passwords.redis }, "PING")).startsWith("+PONG"),
    },
    context,
  );
}

// The two zset limits reduce the memory of small boards to about a twentieth (108 to 5 bytes per member, measured).
// Every board without mirrored counts has a hash. A packed hash of more than 64 members is slow to search.
// Snapshots, and no log of every command: the ranker's auditor applies what a killed Redis has lost, boards and marks alike,
// again from the ledger. The log and its rewrites cost a quarter of the CPU that Redis needs for a purchase.
// set-proc-title: a title would overwrite the environment, by which a later launcher recognizes its leftovers.
const configuration = (port: number, data: string): string => `bind 127.0.0.1
port ${port}
dir ${JSON.stringify(data)}
daemonize no
disable-thp no
set-proc-title no
save 300 1
rdbcompression no
appendonly no
maxmemory-policy noeviction
zset-max-listpack-entries 512
zset-max-listpack-value 64
hash-max-listpack-entries 64
`;

// A failover begins after this long without a master.
const nodeTimeoutMs = 2000;

// A slot without a master does not stop the others. A replica always takes over: what it lacks, the auditor repairs.
const clusterConfiguration = (busPort: number, password: string): readonly string[] => [
  "cluster-enabled yes",
  "cluster-config-file nodes.conf",
  `cluster-port ${busPort}`,
  `cluster-node-timeout ${nodeTimeoutMs}`,
  "cluster-require-full-coverage no",
  "cluster-replica-validity-factor 0",
  "cluster-allow-replica-migration no",
  "repl-diskless-sync-delay 0",
  "masteruser tally",
  `masterauth ${password}`,
];
