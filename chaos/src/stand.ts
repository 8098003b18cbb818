import { join } from "node:path";
import { connectDatabase, type Database } from "@tally/database";
import {
  addressVariables,
  startApps,
  startPrivateServices,
  type Apps,
  type Operator,
  type Server,
  type Services,
} from "@tally/local";
import { connectPublisher, type Publisher } from "@tally/messaging";
import { queuesOf, type Domain } from "@tally/pipeline";
import { connectRankings, type Rankings } from "@tally/rankings";
import { openInside, type Inside } from "./inside/inside.ts";
import type { Sabotage } from "./inside/sabotages.ts";
import { openLink, type Link } from "./link.ts";

export const gateways = ["gateway-1", "gateway-2"] as const;
export const appProcesses = [...gateways, "writer", "ranker"] as const;
const serverNames = ["rabbitmq", "database-primary", "database-replica", "redis"] as const;

export type AppProcess = (typeof appProcesses)[number];
export type ServerName = (typeof serverNames)[number];

/** A whole tally of our own, every part of it in our hands. */
export interface Stand {
  /** Those that get load. */
  readonly domains: readonly Domain[];
  readonly namespace: string;
  readonly urls: readonly string[];
  readonly operator: Operator;
  readonly inside: Inside;
  /** An app's process or a server. */
  process(name: AppProcess | ServerName): Server;
  /** The way from an app's process to a server. Ours, below, do not go through it. */
  link(from: AppProcess, to: ServerName): Link;
  readonly database: Database;
  readonly rankings: Rankings;
  readonly publisher: Publisher;
  /** What `pnpm tally` needs to know to look at this system. */
  readonly environment: NodeJS.ProcessEnv;
  close(): Promise<void>;
}

export interface StandOptions {
  readonly root: string;
  /** Everything lies here and is deleted at the end, without the logs of the apps. */
  readonly directory: string;
  readonly domains: readonly Domain[];
  readonly sabotage?: Sabotage | undefined;
  /** For the apps, beside what the drill sets. */
  readonly settings?: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

const namespace = "chaos";
const rankingShards = 2;
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** Starts servers, links and apps. Whatever fails: what was started is stopped again. */
export async function openStand(options: StandOptions): Promise<Stand> {
  const { root, directory, domains, sabotage, settings, say, signal } = options;
  const closers: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  try {
    const inside = await openInside(join(directory, "inside"), sabotage);
    const services = await startPrivateServices({
      directory: join(directory, "services"),
      database: "tally_chaos_test",
      namespace,
      say,
      signal,
    });
    closers.push(() => services.stop());
    const { operator, addresses, accounts } = services;

    const links = await openLinks(services);
    closers.push(() => Promise.all([...links.values()].map((link) => link.close())));
    const common = {
      PATH: process.env["PATH"],
      NAMESPACE: namespace,
      RANKING_SHARDS: String(rankingShards),
      WRITER_THREADS: "2",
      // The shortest: so that a Redis can come back older than what the ledger still tells.
      RANKER_MOVES_KEPT_SECONDS: "60",
      // The shortest: so that the writer meets keys that were used again.
      KEYS_REMEMBERED_SECONDS: "1",
      ...settings,
    };
    const apps = await startApps({
      root,
      directory: join(directory, "apps"),
      addresses,
      accounts,
      port: 0,
      environment: common,
      instances: { gateway: gateways.length },
      environmentOf: (app, index) => linkedAddresses(accounts[app], (to) => linkOf(links, processName(app, index), to)),
      execArgv: (app, index) => inside.flags(app, processName(app, index)),
      say,
      signal,
    });
    closers.push(() => apps.stop());

    const database = connectDatabase({
      writeUrl: addresses.databaseWriteUrl,
      readUrl: addresses.databaseReadUrl,
      writeConnections: 2,
      readConnections: 1,
      queryTimeoutMs: 60_000,
      log: silent,
    });
    closers.push(() => database.close());
    const rankings = connectRankings({ url: addresses.redisUrl, namespace, shards: rankingShards, log: silent });
    closers.push(() => rankings.close());
    const publisher = connectPublisher({
      url: addresses.amqpUrl,
      connectionName: "tally drill",
      queues: domains.flatMap(({ name }) => Object.values(queuesOf(namespace, name))),
      log: silent,
    });
    closers.push(() => publisher.close());
    await publisher.ready;

    return {
      domains,
      namespace,
      urls: apps.urls,
      operator,
      inside,
      process: (name) => processOf(name, apps, services),
      link: (from, to) => linkOf(links, from, to),
      database,
      rankings,
      publisher,
      environment: { ...common, ...addressVariables(addresses) },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function processName(app: "gateway" | "writer" | "ranker", index: number): AppProcess {
  return app === "gateway" ? (gateways[index] ?? gateways[0]) : app;
}

function processOf(name: AppProcess | ServerName, apps: Apps, services: Services): Server {
  const all = [...apps.gateways, ...apps.writers, ...apps.rankers, ...services.servers];
  const found = all.find((server) => server.name === name);
  if (found === undefined) throw new TypeError(`there is no process ${name}`);
  return found;
}

async function openLinks(services: Services): Promise<ReadonlyMap<string, Link>> {
  const links = new Map<string, Link>();
  for (const from of appProcesses) {
    for (const to of serverNames) {
      const port = services.servers.find(({ name }) => name === to)?.port ?? 0;
      links.set(`${from} ${to}`, await openLink(port));
    }
  }
  return links;
}

function linkOf(links: ReadonlyMap<string, Link>, from: AppProcess, to: ServerName): Link {
  const link = links.get(`${from} ${to}`);
  if (link === undefined) throw new TypeError(`there is no link from ${from} to ${to}`);
  return link;
}

function linkedAddresses(addresses: Services["addresses"], link: (to: ServerName) => Link): NodeJS.ProcessEnv {
  const through = (url: string, to: ServerName): string => {
    const linked = new URL(url);
    linked.port = String(link(to).port);
    return linked.href;
  };
  return addressVariables({
    amqpUrl: through(addresses.amqpUrl, "rabbitmq"),
    databaseWriteUrl: through(addresses.databaseWriteUrl, "database-primary"),
    databaseReadUrl: through(addresses.databaseReadUrl, "database-replica"),
    redisUrl: through(addresses.redisUrl, "redis"),
  });
}
