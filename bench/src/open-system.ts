import { join } from "node:path";
import { domains } from "@tally/domains";
import { silentLog } from "@tally/failures";
import { startBalancer, startPrivateServices, startSystem, type PrivateServices, type Server } from "@tally/local";
import { connectPublisher } from "@tally/messaging";
import { queuesOf } from "@tally/pipeline";
import type { BenchPlan } from "./bench-plan.ts";
import { designOf } from "./designs/designs.ts";
import { declareTransientQueues } from "./designs/transient-queues.ts";
import { eachTier, readTiers, type OfTiers, type TierFigures } from "./watch/tiers.ts";

/** A fresh and empty tally, as in production but on one machine. */
export interface System {
  /** The checkout that runs; its `tally` audits it. */
  readonly root: string;
  readonly urls: readonly string[];
  /** The gateways' operator ports; empty where they are unknown. */
  readonly operatorUrls: readonly string[];
  readonly writerUrls: readonly string[];
  readonly rankerUrls: readonly string[];
  /** Environment variables with which `pnpm tally` works on it. */
  readonly environment: NodeJS.ProcessEnv;
  /** The versions of its servers. */
  readonly versions: Readonly<Record<string, string>>;
  tiers(): OfTiers<TierFigures>;
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
  const isPlain = (design === "batched" || design === "balanced") && durability === "confirmed";
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
  const closing: (() => Promise<void>)[] = [() => system.stop()];
  const close = async (): Promise<void> => {
    for (const one of closing) await one();
  };
  try {
    let { urls } = system;
    if (designOf(design).balanced) {
      const environment = { PATH: process.env["PATH"] };
      const balancer = await startBalancer({
        directory: join(directory, "balancer"),
        gateways: urls,
        environment,
        say,
        signal,
      });
      closing.unshift(() => balancer.stop());
      urls = [balancer.url];
    }
    const healthUrl = ({ port }: Server): string => `http://127.0.0.1:${port}`;
    return await observed({
      root,
      urls,
      operatorUrls: system.operatorUrls,
      writerUrls: system.writers.map(healthUrl),
      rankerUrls: system.rankers.map(healthUrl),
      // Its maintenance account may not declare queues where those are transient.
      environment: { ...system.environment, AMQP_URL: system.accounts.maintenance.amqpUrl },
      versions: await versionsOf(services),
      processes: [...system.gateways, ...system.writers, ...system.rankers, ...services.servers],
      amqpUrl: system.addresses.amqpUrl,
      namespace,
      async rows(name) {
        const ids = domains.find((domain) => domain.name === name)?.recount.ids;
        return Number(await services.operator.sql(`USE ${database}; SELECT COUNT(*) FROM (${ids}) AS ids`));
      },
      close,
    });
  } catch (error) {
    await close();
    throw error;
  }
}

interface Running extends Omit<System, "tiers" | "queues"> {
  readonly processes: readonly Pick<Server, "name" | "pid">[];
  readonly amqpUrl: string;
  readonly namespace: string;
}

const namesOfTier = {
  gateway: /^gateway/,
  writer: /^writer/,
  ranker: /^ranker/,
  broker: /^(rabbitmq|epmd)/,
  database: /^database/,
  redis: /^redis/,
};

/** Adds the figures that are read from its processes and its broker to a running system. */
export async function observed({ processes, amqpUrl, namespace: prefix, ...running }: Running): Promise<System> {
  const groups = eachTier((tier) =>
    processes.flatMap(({ name, pid }) => (namesOfTier[tier].test(name) ? (pid ?? []) : [])),
  );
  const publisher = connectPublisher({ url: amqpUrl, connectionName: "tally bench", queues: [], log: silentLog });
  await publisher.ready;
  return {
    ...running,
    tiers: () => readTiers(groups),
    queues(domain) {
      const { ingest, rank } = queuesOf(prefix, domain);
      return Promise.all(
        [ingest, rank].map(async ({ name, messagesMax = Infinity }) => ({
          depth: (await publisher.queueDepth(name)) ?? 0,
          max: messagesMax,
        })),
      );
    },
    async close() {
      await publisher.close();
      await running.close();
    },
  };
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
