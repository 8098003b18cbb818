import { join } from "node:path";
import { domains } from "@tally/domains";
import { silentLog } from "@tally/failures";
import { addressVariables, startApps, startPrivateServices, type PrivateServices, type Server } from "@tally/local";
import { connectPublisher } from "@tally/messaging";
import { queuesOf } from "@tally/pipeline";
import { designOf, type DesignName, type Durability } from "./designs/designs.ts";
import { readTiers, type TierFigures, type TierName } from "./watch/tiers.ts";
import { WrongUsage } from "./wrong-usage.ts";

/** A tally of our own, fresh and empty, as in production but on one machine. */
export interface Stack {
  readonly urls: readonly string[];
  readonly writerUrls: readonly string[];
  readonly rankerUrls: readonly string[];
  /** What `pnpm tally` needs to know to look at it. */
  readonly environment: NodeJS.ProcessEnv;
  /** The versions of its servers. */
  readonly versions: Readonly<Record<string, string>>;
  tiers(): ReadonlyMap<TierName, TierFigures>;
  /** Messages that wait in a domain's two queues, and how many each takes. */
  queues(domain: string): Promise<readonly { readonly depth: number; readonly max: number }[]>;
  /** The rows of a domain's events, counted. */
  rows(domain: string): Promise<number>;
  close(): Promise<void>;
}

export interface StackOptions {
  readonly root: string;
  /** Everything lies here. */
  readonly directory: string;
  readonly design: DesignName;
  readonly durability: Durability;
  readonly gateways: number;
  /** For the apps, beside what the design sets. */
  readonly settings: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

const namespace = "bench";
const databaseName = "tally_bench";

export async function openStack(o: StackOptions): Promise<Stack> {
  const { root, directory, say, signal } = o;
  const closers: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  try {
    const services = await startPrivateServices({
      directory: join(directory, "services"),
      database: databaseName,
      namespace,
      say,
      signal,
    });
    closers.push(() => services.stop());
    const common = {
      PATH: process.env["PATH"],
      NODE_ENV: "production",
      NAMESPACE: namespace,
      LOG_LEVEL: "warn",
      // The bench looks at the counters every 20 ms while the queues drain.
      HEALTH_KEPT_MS: "0",
      ...designOf(o.design).settings,
      ...o.settings,
    };
    const apps = await startApps({
      root,
      directory: join(directory, "apps"),
      addresses: services.addresses,
      // The synchronous designs write from the gateway: they need the administrator.
      ...(!o.design.startsWith("synchronous") && { accounts: services.accounts }),
      port: 0,
      environment: common,
      instances: { gateway: o.gateways },
      execArgv: (app) => flagsFor(app, o),
      say,
      signal,
    });
    closers.push(() => apps.stop());
    const publisher = connectPublisher({
      url: services.addresses.amqpUrl,
      connectionName: "tally bench",
      queues: [],
      log: silentLog,
    });
    closers.push(() => publisher.close());
    await publisher.ready;

    const groups = new Map<TierName, readonly number[]>([
      ["gateway", pids(apps.gateways)],
      ["writer", pids(apps.writers)],
      ["ranker", pids(apps.rankers)],
      ["broker", pids(services.servers, "rabbitmq", "epmd")],
      ["database", pids(services.servers, "database")],
      ["redis", pids(services.servers, "redis")],
    ]);
    const healthUrl = ({ port }: Server): string => `http://127.0.0.1:${port}`;
    return {
      urls: apps.urls,
      writerUrls: apps.writers.map(healthUrl),
      rankerUrls: apps.rankers.map(healthUrl),
      environment: {
        ...common,
        ...addressVariables(services.addresses),
        // It declares queues as the apps do.
        NODE_OPTIONS: flagsFor("admin", o).join(" "),
      },
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
      async rows(domain) {
        const { ids } = domainNamed(domain).recount;
        return Number(await services.operator.sql(`USE ${databaseName}; SELECT COUNT(*) FROM (${ids}) AS ids`));
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function flagsFor(app: string, { design, durability }: StackOptions): readonly string[] {
  const preload = new URL("designs/preload.ts", import.meta.url);
  preload.search = new URLSearchParams({ app, design, durability }).toString();
  return design === "batched" && durability === "confirmed" ? [] : ["--import", preload.href];
}

function pids(servers: readonly Server[], ...begins: readonly string[]): readonly number[] {
  return servers
    .filter(({ name }) => begins.length === 0 || begins.some((begin) => name.startsWith(begin)))
    .flatMap(({ pid }) => pid ?? []);
}

async function versionsOf({ operator }: PrivateServices) {
  const [database, broker, redis] = await Promise.all([
    operator.sql("SELECT VERSION()"),
    operator.rabbitmqctl("version"),
    operator.redis("INFO server"),
  ]);
  return {
    database:
      database
        .split("\n")
        .find((line) => /^\d/.test(line.trim()))
        ?.trim() ?? database.trim(),
    broker: broker.trim(),
    redis: /(?:redis|valkey)_version:(\S+)/.exec(redis)?.[1] ?? "unknown",
  };
}

/** The domain of a name; throws for one that there is not. */
function domainNamed(name: string) {
  const domain = domains.find((one) => one.name === name);
  if (domain === undefined)
    throw new WrongUsage(`there is no domain ${name}; there are: ${domains.map((one) => one.name).join(", ")}`);
  return domain;
}
