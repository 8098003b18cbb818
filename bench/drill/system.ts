import { join } from "node:path";
import { connectDatabase } from "@tally/database";
import { silentLog } from "@tally/runtime";
import { openTcpProxy, addressVariables, startSystem } from "@tally/local";
import type { TcpProxy, Addresses, AppName, ServicesSource } from "@tally/local";
import { connectPublisher } from "@tally/broker";
import { queuesOf, type Domain } from "@tally/contract";
import { connectRankings } from "@tally/redis";
import { startLabServices } from "../kit/index.ts";
import { openInside, type Inside } from "./inside/inside.ts";
import type { Sabotage } from "./inside/sabotages.ts";

export const gateways = ["gateway-1", "gateway-2"] as const;
export const appProcesses = [...gateways, "writer", "ranker"] as const;

export type AppProcess = (typeof appProcesses)[number];
export type ServerName = "rabbitmq" | "database-primary" | "database-replica" | "redis";

/** A running tally of which every process and every connection can be disturbed. */
export type System = Awaited<ReturnType<typeof openSystem>>;

export interface SystemOptions {
  readonly root: string;
  /** Holds all files of the system. close() deletes everything but the logs of the apps. */
  readonly directory: string;
  /** Those that get load. */
  readonly domains: readonly Domain[];
  readonly sabotage?: Sabotage | undefined;
  /** undefined: Docker where an engine responds, else programs. */
  readonly services?: ServicesSource;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

type Links = Readonly<Record<ServerName, TcpProxy>>;

const namespace = "drill";
const rankingShards = 2;

/** Starts servers, links and apps. After a failure it stops what it has started. */
export async function openSystem(options: SystemOptions) {
  const { directory, domains, sabotage } = options;
  await using opened = new AsyncDisposableStack();
  const inside = await openInside(join(directory, "inside"), sabotage);
  const links = new Map<AppProcess, Links>();
  opened.defer(async () => {
    for (const link of [...links.values()].flatMap(Object.values<TcpProxy>)) await link.close();
  });
  const running = await startLinked(options, inside, links);
  opened.defer(() => running.stop());
  const connections = await connectTo(running.addresses, domains, opened);
  const all = opened.move();
  return {
    ...running,
    ...connections,
    domains,
    source: running.services.source,
    /** Throws where the servers are those of the environment. */
    get operator() {
      const { operator } = running.services;
      if (operator === undefined) throw new TypeError("the servers of the environment have no operator");
      return operator;
    },
    inside,
    /** Carries the connections of an app's process to a server. The drill's own do not pass through it. */
    link: (from: AppProcess, to: ServerName) => linksOf(links, from)[to],
    close: () => all.disposeAsync(),
  };
}

/** Starts a system whose apps reach the servers through links. Fills `links`. */
function startLinked(options: SystemOptions, inside: Inside, links: Map<AppProcess, Links>) {
  const { root, directory, say, signal } = options;
  return startSystem({
    root,
    directory,
    database: "tally_drill_test",
    namespace,
    async services(own) {
      const services = await startLabServices(options.services, { ...own, redoLogMiB: 128 });
      for (const name of appProcesses) {
        const addresses = services.accounts[name === "writer" || name === "ranker" ? name : "gateway"];
        links.set(name, {
          rabbitmq: await openTcpProxy(addresses.amqpUrl),
          "database-primary": await openTcpProxy(addresses.databaseWriteUrl),
          "database-replica": await openTcpProxy(addresses.databaseReadUrl),
          redis: await openTcpProxy(addresses.redisUrl),
        });
      }
      return services;
    },
    environment: {
      PATH: process.env["PATH"],
      RANKING_SHARDS: String(rankingShards),
      WRITER_THREADS: "2",
      // The shortest valid values: Redis can return with state older than the ledger keeps, and the writer receives
      // reused keys.
      RANKER_BATCHES_KEPT_SECONDS: "60",
      KEYS_REMEMBERED_SECONDS: "1",
    },
    instances: { gateway: gateways.length },
    environmentOf: (app, index) => linkedAddresses(linksOf(links, processOf(app, index))),
    execArgv: (app, index) => inside.flags(app, processOf(app, index)),
    say,
    signal,
  });
}

/** The drill's own connections, which do not pass through links. */
async function connectTo(addresses: Addresses, domains: readonly Domain[], opened: AsyncDisposableStack) {
  const database = connectDatabase({
    writeUrl: addresses.databaseWriteUrl,
    readUrl: addresses.databaseReadUrl,
    writeConnections: 2,
    readConnections: 1,
    queryTimeoutMs: 60_000,
    log: silentLog,
  });
  opened.defer(() => database.close());
  const { redisUrl: url, amqpUrl } = addresses;
  const rankings = connectRankings({ url, namespace, shards: rankingShards, domains, log: silentLog });
  opened.defer(() => rankings.close());
  const publisher = connectPublisher({
    url: amqpUrl,
    connectionName: "tally drill",
    queues: domains.flatMap(({ name }) => Object.values(queuesOf(namespace, name))),
    log: silentLog,
  });
  opened.defer(() => publisher.close());
  await publisher.ready;
  return { database, rankings, publisher };
}

function linksOf(links: ReadonlyMap<AppProcess, Links>, name: AppProcess): Links {
  const own = links.get(name);
  if (own === undefined) throw new TypeError(`there is no process ${name}`);
  return own;
}

function processOf(app: AppName, index: number): AppProcess {
  return app === "gateway" ? (gateways[index] ?? gateways[0]) : app;
}

function linkedAddresses(links: Links): NodeJS.ProcessEnv {
  return addressVariables({
    amqpUrl: links.rabbitmq.url,
    databaseWriteUrl: links["database-primary"].url,
    databaseReadUrl: links["database-replica"].url,
    redisUrl: links.redis.url,
  });
}
