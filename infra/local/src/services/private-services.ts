import { addressesOf } from "./accounts.ts";
import type { ChildServer } from "../process/child-server.ts";
import { database } from "../servers/database.ts";
import type { Programs } from "./find-programs.ts";
import { freePorts } from "../process/free-ports.ts";
import { rabbitmq } from "../servers/rabbitmq.ts";
import { operator } from "./operator.ts";
import { redis } from "../servers/redis.ts";
import type { MoreConfiguration, Services } from "./services.ts";
import { closeWorkshop, type Workshop } from "../servers/context.ts";

export interface PrivateOptions {
  readonly database: string;
  readonly keepData: boolean;
  /** How many nodes of RabbitMQ. Default 1. */
  readonly brokers?: number;
  /** As in StartOptions. */
  readonly namespace?: string | undefined;
  readonly configuration?: MoreConfiguration | undefined;
}

/** Starts installed servers as private instances on loopback ports of their own. When one fails, all are stopped again. */
export async function privateServices(
  programs: Programs,
  { database: databaseName, keepData, brokers = 1, namespace, configuration }: PrivateOptions,
  givenWorkshop: Workshop,
): Promise<Services> {
  const failure = new AbortController();
  const workshop = { ...givenWorkshop, configuration, signal: AbortSignal.any([givenWorkshop.signal, failure.signal]) };
  const [epmdPort = 0, primaryPort = 0, replicaPort = 0, redisPort = 0, ...nodePorts] = await freePorts(
    4 + 2 * brokers,
  );
  const amqpPorts = nodePorts.slice(0, brokers);
  const nodes = amqpPorts.map((amqp, index) => ({ amqp, distribution: nodePorts[brokers + index] ?? 0 }));
  const broker = await rabbitmq(programs.rabbitmq, { epmd: epmdPort, nodes }, workshop, namespace);
  const store = await redis(programs.redis, { port: redisPort, namespace }, workshop);
  const ports = { primary: primaryPort, replica: replicaPort };
  const pair = await database(databaseName, programs.database, ports, workshop);

  // Of those that need each other, the needed one last.
  const groups: readonly (readonly ChildServer[])[] = [
    [pair.replica, pair.primary],
    [...broker.nodes, broker.epmd],
    [store],
  ];
  // Our process ends without stop(), e.g. by an uncaught exception: no time to wait, but they still end in an orderly way.
  const onExit = (): void => groups.flat().forEach((server) => server.kill("SIGTERM"));
  process.once("exit", onExit);
  const stopServers = async (): Promise<void> => {
    await Promise.all(
      groups.map(async (group) => {
        for (const server of group) await server.stop({ atOnce: !keepData });
      }),
    );
    process.removeListener("exit", onExit);
  };

  const starts = [store.start(), broker.start(), pair.start()];
  // The first failure ends the other starts too; all must have ended before anything is stopped, else one could start after that.
  await Promise.all(starts).catch((error: unknown) => failure.abort(error));
  await Promise.allSettled(starts);
  if (workshop.signal.aborted) {
    await stopServers();
    await closeWorkshop(workshop, { keepData: true }); // the logs tell why
    throw workshop.signal.reason;
  }

  let stopped: Promise<void> | undefined;
  return {
    ...addressesOf(workshop.passwords, databaseName, { ...ports, amqp: amqpPorts, redis: redisPort }),
    source: "private",
    operator: operator(workshop, {
      sql: pair.sql,
      replicaSql: pair.replicaSql,
      rabbitmqctl: brokers === 1 ? "rabbitmqctl" : "rabbitmqctl-1",
      redisPort,
    }),
    servers: [...broker.nodes, pair.primary, pair.replica, store],
    stop: () => (stopped ??= stopServers().then(() => closeWorkshop(workshop, { keepData }))),
  };
}
