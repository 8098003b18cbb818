import { join } from "node:path";
import { freePorts } from "../process/free-ports.ts";
import { runCommand, ServiceError } from "../process/run-command.ts";
import { runStages } from "../process/child-server.ts";
import { closeContext, type ServerContext } from "../servers/context.ts";
import { database } from "../servers/database.ts";
import { rabbitmq } from "../servers/rabbitmq.ts";
import { redisCluster, redis, openRedis, wipeRedis } from "../servers/redis.ts";
import { addressesOf } from "./addresses.ts";
import type { Programs } from "./installed-programs.ts";
import type { Services, StartOptions } from "./services.ts";

/** Starts installed servers as private instances on free loopback ports. When one fails, all are stopped again. */
export async function fromPrograms(
  programs: Programs,
  options: Pick<StartOptions, "database" | "keepData" | "brokers" | "databaseReplicas" | "redisCluster" | "namespace">,
  givenContext: ServerContext,
): Promise<Services> {
  const { database: databaseName, keepData, brokers = 1, databaseReplicas = 1, namespace } = options;
  const failure = new AbortController();
  const context = { ...givenContext, signal: AbortSignal.any([givenContext.signal, failure.signal]) };
  if (keepData && options.redisCluster !== undefined) throw new TypeError("a Redis Cluster does not keep its data");
  const [epmdPort = 0, primaryPort = 0, ...others] = await freePorts(2 + databaseReplicas + 2 * brokers);
  const [replicaPorts, nodePorts] = [others.slice(0, databaseReplicas), others.slice(databaseReplicas)];
  const amqpPorts = nodePorts.slice(0, brokers);
  const nodes = amqpPorts.map((amqp, index) => ({ amqp, distribution: nodePorts[brokers + index] ?? 0 }));
  const broker = await rabbitmq(programs.rabbitmq, { epmd: epmdPort, nodes }, context, namespace);
  const stores = await redisNodes(programs.redis, options.redisCluster, namespace, context);
  const redisPorts = stores.nodes.map(({ port }) => port);
  const [redisPort = 0] = redisPorts;
  const ports = { primary: primaryPort, replicas: replicaPorts };
  const { primary, replicas, start, promoteReplica } = await database(databaseName, programs.database, ports, context);

  // A server stops before those that it needs.
  const stages = [
    [...replicas.map(({ server }) => server), ...broker.nodes, ...stores.nodes],
    [primary.server, broker.epmd],
  ];
  // The first failure ends the other starts too.
  const starts = [stores.start(), broker.start(), start()].map((one) =>
    one.catch((error: unknown) => {
      failure.abort(error);
      throw context.signal.reason;
    }),
  );
  const stopServers = await runStages(stages, starts, { atOnce: !keepData }).catch(async (error: unknown) => {
    await closeContext(context, { keepData: true }); // keeps the logs, which show why
    throw error;
  });

  const rabbitmqctl = async (args: readonly string[], input = ""): Promise<string> => {
    const program = join(context.directory, brokers === 1 ? "rabbitmqctl" : "rabbitmqctl-1");
    const how = { environment: context.environment, input, timeoutMs: 60_000 };
    const { exitCode, output, errors } = await runCommand(program, args, how);
    if (exitCode !== 0) throw new ServiceError("server-failed", `rabbitmqctl ${args.join(" ")}: ${errors.trim()}`);
    return output;
  };
  return {
    ...addressesOf(context.passwords, databaseName, { ...ports, amqp: amqpPorts, redis: redisPorts }),
    source: "programs",
    operator: {
      sql: (text) => primary.sql(text),
      async replicaSql(text, replica = 1) {
        const { sql } = replicas[replica - 1] ?? {};
        if (sql === undefined) throw new TypeError(`there is no replica ${replica}`);
        return sql(text);
      },
      promoteReplica,
      rabbitmqctl: (...args) => rabbitmqctl(args),
      importDefinitions: (text) => rabbitmqctl(["import_definitions"], text),
      redis: (command) => openRedis({ port: redisPort, password: context.passwords.redis }).command(command),
      wipeRedis: () => wipeRedis(context),
    },
    servers: [...broker.nodes, primary.server, ...replicas.map(({ server }) => server), ...stores.nodes],
    stop: () => stopServers().then(() => closeContext(context, { keepData })),
  };
}

async function redisNodes(
  program: string,
  size: StartOptions["redisCluster"],
  namespace: string | undefined,
  context: ServerContext,
) {
  if (size !== undefined) return redisCluster(program, size, namespace, context);
  const [port = 0] = await freePorts(1);
  const store = await redis(program, { name: "redis", port, namespace }, context);
  return { nodes: [store], start: () => store.start() };
}
