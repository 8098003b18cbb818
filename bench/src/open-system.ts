import { join } from "node:path";
import { domains } from "@tally/domains";
import { silentLog } from "@tally/failures";
import { startPrivateServices, startSystem, type PrivateServices, type Server } from "@tally/local";
import { connectPublisher } from "@tally/messaging";
import { queuesOf } from "@tally/pipeline";
import type { TierName } from "@tally/pipeline/bench-report";
import type { BenchPlan } from "./bench-plan.ts";
import { designOf } from "./designs/designs.ts";
import { declareTransientQueues } from "./designs/transient-queues.ts";
import { readTiers, type TierFigures } from "./watch/tiers.ts";

/** A fresh and empty tally, as in production but on one machine. */
export interface System {
  readonly urls: readonly string[];
  readonly writerUrls: readonly string[];
  readonly rankerUrls: readonly string[];
  /** Environment variables with which `pnpm tally` works on it. */
  readonly environment: NodeJS.ProcessEnv;
  /** The versions of its servers. */
  readonly versions: Readonly<Record<string, string>>;
  tiers(): ReadonlyMap<TierName, TierFigures>;
  /** Waiting messages and limits of a domain's two queues. */
  queues(domain: string): Promise<readonly { readonly depth: number; readonly max: number }[]>;
  /** The number of a domain's stored events, counted in its rows. */
  rows(domain: string): Promise<number>;
  close(): Promise<void>;
}

type OwnPlan = Pick<BenchPlan, "root" | "design" | "durability" | "gateways" | "settings" | "say" | "signal">;

const namespace = "bench";
const database = "tally_bench";
const gatewayOfDesigns = join(import.meta.dirname, "designs", "gateway.ts");

/** Starts the system of a plan. `directory` holds all its files. */
export async function openSystem(plan: OwnPlan & { readonly directory: string }): Promise<System> {
  const { root, directory, design, durability, gateways, settings, say, signal } = plan;
  const isPlain = design === "batched" && durability === "confirmed";
  const system = await startSystem({
    root,
    directory,
    database,
    namespace,
    async services(options) {
      const services = await startPrivateServices(options);
      if (durability === "transient") await declareTransientQueues(services, { directory, namespace });
      const { addresses, accounts } = services;
      // The synchronous designs write to the database from the gateway, which its account may not.
      return designOf(design).stores === "gateway"
        ? { ...services, accounts: { ...accounts, gateway: addresses } }
        : services;
    },
    environment: {
      PATH: process.env["PATH"],
      NODE_ENV: "production",
      LOG_LEVEL: "warn",
      // The bench reads the counters every 20 ms while the queues drain.
      HEALTH_KEPT_MS: "0",
      ...designOf(design).settings,
      ...settings,
    },
    instances: { gateway: gateways },
    gatewayMain: isPlain ? undefined : [gatewayOfDesigns, design, durability],
    say,
    signal,
  });
  const { services } = system;
  const publisher = connectPublisher({
    url: system.addresses.amqpUrl,
    connectionName: "tally bench",
    queues: [],
    log: silentLog,
  });
  const close = async (): Promise<void> => {
    await publisher.close();
    await system.stop();
  };
  try {
    await publisher.ready;
    const groups = new Map<TierName, readonly number[]>([
      ["gateway", pids(system.gateways)],
      ["writer", pids(system.writers)],
      ["ranker", pids(system.rankers)],
      ["broker", pids(services.servers, "rabbitmq", "epmd")],
      ["database", pids(services.servers, "database")],
      ["redis", pids(services.servers, "redis")],
    ]);
    const healthUrl = ({ port }: Server): string => `http://127.0.0.1:${port}`;
    return {
      urls: system.urls,
      writerUrls: system.writers.map(healthUrl),
      rankerUrls: system.rankers.map(healthUrl),
      // Its maintenance account may not declare queues where those are transient.
      environment: { ...system.environment, AMQP_URL: system.accounts.maintenance.amqpUrl },
      versions: await versionsOf(services),
      tiers: () => readTiers(groups),
      queues(domain) {
        const { ingest, rank } = queuesOf(namespace, domain);
        return Promise.all(
          [ingest, rank].map(async ({ name, messagesMax = Infinity }) => ({
            depth: (await publisher.queueDepth(name)) ?? 0,
            max: messagesMax,
          })),
        );
      },
      async rows(name) {
        const ids = domains.find((domain) => domain.name === name)?.recount.ids;
        return Number(await services.operator.sql(`USE ${database}; SELECT COUNT(*) FROM (${ids}) AS ids`));
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function pids(servers: readonly Server[], ...prefixes: readonly string[]): readonly number[] {
  return servers
    .filter(({ name }) => prefixes.length === 0 || prefixes.some((prefix) => name.startsWith(prefix)))
    .flatMap(({ pid }) => pid ?? []);
}

async function versionsOf({ operator }: PrivateServices) {
  const [sql, broker, redis] = await Promise.all([
    operator.sql("SELECT VERSION()"),
    operator.rabbitmqctl("version"),
    operator.redis("INFO server"),
  ]);
  const version = sql.split("\n").find((line) => /^\d/.test(line.trim())) ?? sql;
  return {
    database: version.trim(),
    broker: broker.trim(),
    redis: /(?:redis|valkey)_version:(\S+)/.exec(redis)?.[1] ?? "unknown",
  };
}
