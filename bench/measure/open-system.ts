import { join } from "node:path";
import { silentLog } from "@tally/runtime";
import { startBalancer, startSystem } from "@tally/local";
import type { Accounts, Balancer, Server, Services } from "@tally/local";
import { connectPublisher } from "@tally/broker";
import { openIntake } from "@tally/gateway";
import { queuesOf } from "@tally/contract";
import { startLabServices } from "../kit/index.ts";
import type { BenchPlan } from "./bench-plan.ts";
import { designOf, type Design } from "./designs/designs.ts";
import { type Scaled, startScaling } from "./designs/scaling.ts";
import { intakeOf } from "./designs/intakes.ts";
import { declareTransientQueues } from "./designs/queue-definitions.ts";
import { watchTiers } from "./watch/tiers.ts";

/** A fresh and empty tally, as in production but on one machine. */
export type System = Awaited<ReturnType<typeof observed>>;

type OwnPlan = Pick<
  BenchPlan,
  "root" | "design" | "durability" | "gateways" | "services" | "settings" | "say" | "signal"
>;

const namespace = "bench";
const database = "tally_bench";
const gatewayOfDesigns = join(import.meta.dirname, "designs", "gateway.ts");

/** Starts the system of a plan. `directory` holds all its files. */
export async function openSystem(plan: OwnPlan & { readonly directory: string }): Promise<System> {
  const { root, directory, design: designName, durability, gateways, settings, say, signal } = plan;
  const design = designOf(designName);
  await using opened = new AsyncDisposableStack();
  const system = await startSystem({
    root,
    directory,
    database,
    namespace,
    async services(options) {
      const services = await startLabServices(plan.services, options);
      const { operator } = services;
      if (durability === "transient" && operator) await declareTransientQueues(operator, namespace);
      return { ...services, accounts: accountsFor(design, services) };
    },
    environment: {
      PATH: process.env["PATH"],
      NODE_ENV: "production",
      LOG_LEVEL: "warn",
      // Of --priced.
      CURRENCY: "USD",
      ...design.settings,
      ...settings,
    },
    instances: { gateway: gateways },
    gatewayMain:
      intakeOf(designName, durability) === openIntake ? undefined : [gatewayOfDesigns, designName, durability],
    say,
    signal,
  });
  opened.defer(() => system.stop());
  const { services } = system;
  const { operator } = services;
  let balancer: Balancer | undefined;
  let changes: readonly Scaled[] | undefined;
  if (design.balanced) {
    const environment = { PATH: process.env["PATH"] };
    const own = { directory: join(directory, "balancer"), gateways: system.urls, environment };
    balancer = await startBalancer({ ...own, say, signal });
    opened.defer(balancer.stop);
    if (design.scales) {
      const scaling = await startScaling({ ...system, balancer, say });
      opened.defer(scaling.stop);
      ({ changes } = scaling);
    }
  }
  const healthUrl = ({ port }: Server): string => `http://127.0.0.1:${port}`;
  const observing = await observed({
    root,
    urls: balancer === undefined ? system.urls : [balancer.url],
    operatorUrls: system.operatorUrls,
    writerUrls: system.writers.map(healthUrl),
    rankerUrls: system.rankers.map(healthUrl),
    // Its maintenance account may not declare queues where those are transient.
    environment: { ...system.environment, AMQP_URL: system.accounts.maintenance.amqpUrl },
    versions: await versionsOf(services),
    processes: [
      ...system.gateways,
      ...(balancer === undefined ? [] : [balancer.server]),
      ...system.writers,
      ...system.rankers,
      ...services.servers,
    ],
    amqpUrl: system.addresses.amqpUrl,
    redis: operator && ((command) => operator.redis(command)),
    namespace,
    scaled: changes,
    close: () => all.disposeAsync(),
  });
  const all = opened.move();
  return observing;
}

/** The addresses of each app in a design. */
export function accountsFor(
  { stores, readsFrom }: Design,
  { addresses, accounts }: Pick<Services, "addresses" | "accounts">,
): Accounts {
  // The synchronous designs write to the database from the gateway, which its account may not.
  if (stores === "gateway") return { ...accounts, gateway: addresses };
  if (readsFrom !== "primary") return accounts;
  const { gateway } = accounts;
  return { ...accounts, gateway: { ...gateway, databaseReadUrl: gateway.databaseWriteUrl } };
}

interface Running {
  /** The checkout that runs; its `tally` audits it. */
  readonly root: string;
  readonly urls: readonly string[];
  /** The gateways' operator ports. */
  readonly operatorUrls?: readonly string[];
  readonly writerUrls: readonly string[];
  readonly rankerUrls: readonly string[];
  /** Environment variables with which `pnpm tally` works on it. */
  readonly environment: NodeJS.ProcessEnv;
  readonly versions: Readonly<Record<string, string>>;
  readonly processes: readonly Pick<Server, "name" | "pid">[];
  readonly amqpUrl: string;
  /** Runs a command of an operator. */
  readonly redis?: ((command: string) => Promise<string>) | undefined;
  readonly namespace: string;
  /** Changes of the number of gateways so far, in a design that scales. */
  readonly scaled?: readonly Scaled[] | undefined;
  close(): Promise<void>;
}

/** Adds the figures that are read from its processes and its broker to a running system. */
export async function observed({ amqpUrl, redis, namespace: of, ...running }: Running) {
  const publisher = connectPublisher({ url: amqpUrl, connectionName: "tally bench", queues: [], log: silentLog });
  await publisher.ready;
  return {
    ...running,
    /** Sums of each tier's processes among all processes of the machine. */
    tiers: watchTiers(running.processes),
    /** Waiting messages and limits of a domain's queues. */
    queues(domain: string) {
      const { ingest, rank } = queuesOf(of, domain);
      return Promise.all(
        [ingest, rank].map(async ({ name, messagesMax = Infinity }) => ({
          depth: (await publisher.queueDepth(name)) ?? 0,
          max: messagesMax,
        })),
      );
    },
    async redisKeys(): Promise<number | null> {
      return redis === undefined ? null : Number(/\d+/.exec(await redis("DBSIZE")));
    },
    async close() {
      await publisher.close();
      await running.close();
    },
  };
}

async function versionsOf({ operator, source }: Services): Promise<Record<string, string>> {
  if (operator === undefined) return { servers: source };
  const [sql, broker, redis] = await Promise.all([
    operator.sql("SELECT VERSION()"),
    operator.rabbitmqctl("version"),
    operator.redis("INFO server"),
  ]);
  const version = sql.split("\n").find((line) => /^\d/.test(line.trim())) ?? sql;
  return {
    database: version.trim(),
    broker: broker.trim(),
    servers: source,
    redis: /(?:redis|valkey)_version:(\S+)/.exec(redis)?.[1] ?? "unknown",
  };
}
