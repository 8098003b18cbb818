import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ChildServer } from "../process/child-server.ts";
import { type ServerContext, filledTemplate } from "./context.ts";
import { sendAndReceive, until } from "../process/until.ts";
import { freePorts } from "../process/free-ports.ts";
import { ServiceError } from "../process/run-command.ts";

/** Deletes the data of the one Redis, which must not run. */
export const wipeRedis = ({ directory }: ServerContext): Promise<void> =>
  rm(join(directory, "redis", "dump.rdb"), { force: true });

/** The first bytes of the response to a command of the administrator, also to a rejected password; empty when there is
 * none. */
export const redisCommand = (
  { port, password }: { readonly port: number; readonly password: string },
  command: string,
  timeoutMs = 2000,
): Promise<string> =>
  sendAndReceive(port, `AUTH tally ${password}\r\n${command}\r\n`, {
    timeoutMs,
    select: (received) => received.replace(/^\+OK\r\n/, ""),
  });

export const openRedis = (at: { readonly port: number; readonly password: string }) => ({
  // While it loads its file it responds with -LOADING.
  responds: async (): Promise<boolean> => (await redisCommand(at, "PING")).startsWith("+PONG"),
  /** Throws when it rejects the command. */
  async command(command: string): Promise<string> {
    const response = await redisCommand(at, command, 30_000);
    if (response !== "" && !response.startsWith("-")) return response;
    throw new ServiceError("server-failed", `redis on port ${at.port}: ${command}: ${response}`);
  },
});

interface RedisPlan {
  readonly name: string;
  readonly port: number;
  /** The port for other nodes of its cluster. */
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
  const data = join(context.directory, name);
  const configFile = join(context.directory, `${name}.conf`);
  await mkdir(data, { recursive: true });
  const { passwords } = context;
  const users = await filledTemplate("redis/users.conf", { ...passwords, admin: passwords.redis, namespace });
  const cluster = busPort === undefined ? [] : clusterConfiguration(busPort, passwords.redis);
  const lines = [configuration(port, data), ...cluster, users, ...(context.configuration?.redis ?? []), ""];
  await writeFile(configFile, lines.join("\n"), { mode: 0o600 });
  return new ChildServer(
    {
      name,
      program,
      args: [configFile],
      // Accesses to boards are spread over all memory: with large pages Redis needs a tenth less CPU once boards have
      // some million members.
      environment: { MALLOC_CONF: "thp:always" },
      port,
      ready: () => openRedis({ port, password: passwords.redis }).responds(),
    },
    context,
  );
}

// The two zset limits reduce the memory of small boards to about a twentieth (108 to 5 bytes per member, measured).
// Every board without mirrored counts has a hash. A packed hash of more than 64 members is slow to search. Snapshots,
// and no log of every command: the ranker's auditor applies what a killed Redis has lost, boards and marks alike, again
// from the ledger. The log and its rewrites cost a quarter of the CPU that Redis needs for a purchase. set-proc-title:
// a title would overwrite the environment, by which a later launcher recognizes its leftovers.
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

export interface RedisClusterSize {
  /** At least three: they elect. */
  readonly masters: number;
  readonly replicas: number;
}

const slots = 16_384;
const formedWithinMs = 60_000;

/** The nodes of a private Redis Cluster, not started yet: `redis-1`, `redis-2`, …; first the masters, then a replica of
 * each, and so on. */
export async function redisCluster(
  program: string,
  { masters, replicas }: RedisClusterSize,
  namespace: string | undefined,
  context: ServerContext,
) {
  const count = masters * (1 + replicas);
  const free = await freePorts(2 * count);
  const ports = free.slice(0, count).map((port, index) => ({ port, busPort: free[count + index] ?? 0 }));
  const nodes = await Promise.all(
    ports.map((own, index) => redis(program, { name: `redis-${index + 1}`, namespace, ...own }, context)),
  );
  return { nodes, start: () => startCluster(nodes, ports, masters, context) };
}

async function startCluster(
  nodes: readonly ChildServer[],
  ports: readonly { readonly port: number; readonly busPort: number }[],
  masters: number,
  { passwords: { redis: password }, signal }: ServerContext,
): Promise<void> {
  await Promise.all(nodes.map((node) => node.start()));
  const command = (index: number, text: string): Promise<string> =>
    openRedis({ port: ports[index]?.port ?? 0, password }).command(text);
  const everywhere = async (text: string, pattern: RegExp): Promise<void> => {
    const fits = async () =>
      (await Promise.all(nodes.map((_, index) => command(index, text)))).every((response) => pattern.test(response));
    if (await until(fits, { withinMs: formedWithinMs, signal })) return;
    throw new ServiceError("server-failed", `the Redis Cluster is not formed after ${formedWithinMs / 1000} s`);
  };

  for (const [index] of nodes.entries()) await command(index, `CLUSTER SET-CONFIG-EPOCH ${index + 1}`);
  for (let index = 0; index < masters; index++) {
    const first = Math.floor((index * slots) / masters);
    const last = Math.floor(((index + 1) * slots) / masters) - 1;
    await command(index, `CLUSTER ADDSLOTSRANGE ${first} ${last}`);
  }
  for (const { port, busPort } of ports.slice(1)) await command(0, `CLUSTER MEET 127.0.0.1 ${port} ${busPort}`);
  await everywhere("CLUSTER INFO", new RegExp(String.raw`cluster_state:ok[^]*cluster_known_nodes:${nodes.length}\b`));
  for (let index = masters; index < nodes.length; index++) {
    const [, id = ""] = /\r\n(\w{40})/.exec(await command(index % masters, "CLUSTER MYID")) ?? [];
    await command(index, `CLUSTER REPLICATE ${id}`);
  }
  const replicas = nodes.length / masters - 1;
  await everywhere("INFO replication", new RegExp(`connected_slaves:${replicas}\\b|master_link_status:up`));
}
