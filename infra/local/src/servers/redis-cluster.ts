import type { ChildServer } from "../process/child-server.ts";
import { freePorts } from "../process/free-ports.ts";
import { ServiceError } from "../process/service-error.ts";
import { until } from "../process/until.ts";
import type { ServerContext } from "./context.ts";
import { redis, redisCommand } from "./redis.ts";

/** The size of a Redis Cluster. */
export interface RedisClusterSize {
  /** At least three: they elect. */
  readonly masters: number;
  /** Of each master. */
  readonly replicas: number;
}

const slots = 16_384;
const formedWithinMs = 60_000;

/** The nodes of a private Redis Cluster, not started yet: `redis-1`, `redis-2`, …; first the masters, then a replica of each, and so on. */
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
  const command = async (index: number, text: string): Promise<string> => {
    const response = await redisCommand({ port: ports[index]?.port ?? 0, password }, text);
    if (response === "" || response.startsWith("-"))
      throw new ServiceError("server-failed", `redis-${index + 1}: ${text}: ${response}`);
    return response;
  };
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
