import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Accounts } from "../services/accounts.ts";
import { type AppName, appServer } from "./app-server.ts";
import type { ChildServer } from "../process/child-server.ts";
import { lockDirectory } from "../process/directory-lock.ts";
import { freePorts } from "../process/free-ports.ts";
import { endLeftovers } from "../process/leftovers.ts";
import { addressVariables, runTally } from "./run-tally.ts";
import { ServiceError } from "../process/service-error.ts";
import type { Addresses, Server } from "../services/services.ts";
import { MARK } from "../servers/context.ts";

export interface AppsOptions {
  /** The checkout whose apps are run. */
  readonly root: string;
  /** Where their logs lie, under `log/`. One launcher at a time; what a killed one has left running is ended first. */
  readonly directory: string;
  /** Of the administrator, who makes the tables. */
  readonly addresses: Addresses;
  /** Of each app. Absent: `addresses` for all of them. */
  readonly accounts?: Pick<Accounts, AppName>;
  /** The first gateway's port; 0 takes a free one. */
  readonly port: number;
  /** What else the apps find in their environment. */
  readonly environment: NodeJS.ProcessEnv;
  /** How many processes of each app. Default 1. */
  readonly instances?: { readonly [app in AppName]?: number };
  /** What one process finds in its environment; wins over all else there. `index` counts the processes of an app from 0. */
  readonly environmentOf?: (app: AppName, index: number) => NodeJS.ProcessEnv;
  /** Further flags for node, at each start of a process the same. */
  readonly execArgv?: (app: AppName, index: number) => readonly string[];
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** tally itself, each instance of an app a process of its own. */
export interface Apps {
  /** Where the first gateway answers, without a slash at the end. */
  readonly url: string;
  /** One for each gateway. They stay the same when it is started again. */
  readonly urls: readonly string[];
  /** Where each gateway answers its operators: /health and /metrics. Writers and rankers do so at their `port`. */
  readonly operatorUrls: readonly string[];
  readonly gateway: Server;
  readonly writer: Server;
  readonly ranker: Server;
  /** All of an app: `gateway`, or `gateway-1`, `gateway-2`, … when there are several. */
  readonly gateways: readonly Server[];
  readonly writers: readonly Server[];
  readonly rankers: readonly Server[];
  /** Stops the apps in the order of an event's way, so that each finishes what the one before has sent. May be called again. */
  stop(): Promise<void>;
}

/** Creates or updates the tables, then starts gateways, writers and rankers; resolves when all are ready. */
export async function startApps(options: AppsOptions): Promise<Apps> {
  const { root, addresses, say } = options;
  const directory = resolve(options.directory);
  for (const folder of ["log", "run"]) await mkdir(join(directory, folder), { recursive: true });
  const release = await lockDirectory(directory);
  try {
    await endLeftovers(directory, say);
    const environment: NodeJS.ProcessEnv = {
      // A process that starts again needs a quarter less time for it.
      NODE_COMPILE_CACHE: join(root, ".tally", "compile-cache"),
      // The gateways listen on loopback only.
      AUTH: "off",
      ...options.environment,
      HOST: options.environment["HOST"] ?? "127.0.0.1",
      ...addressVariables(addresses),
    };
    await migrateTables(root, environment);
    return await runApps(await plannedApps({ ...options, directory, environment }), release);
  } catch (error) {
    release();
    throw error;
  }
}

interface AppServers extends Readonly<Record<AppName, readonly [ChildServer, ...ChildServer[]]>> {
  readonly operatorUrls: readonly string[];
}

async function plannedApps(options: AppsOptions): Promise<AppServers> {
  const { root, directory, environment, instances = {}, say, signal } = options;
  const home = { directory, environment, say, signal: signal ?? new AbortController().signal };
  const { gateway = 1, writer = 1, ranker = 1 } = instances;
  const free = await freePorts(2 * gateway + writer + ranker);
  const operatorPorts = free.splice(-gateway);
  if (options.port !== 0) free[0] = options.port;
  const planned = (app: AppName, count: number): readonly [ChildServer, ...ChildServer[]] => {
    const ports = free.splice(0, count);
    const [first, ...others] = ports.map((port, index) =>
      appServer(
        root,
        {
          app,
          name: ports.length === 1 ? app : `${app}-${index + 1}`,
          port,
          healthPort: app === "gateway" ? (operatorPorts[index] ?? 0) : port,
          environment: {
            ...(options.accounts && addressVariables(options.accounts[app])),
            ...options.environmentOf?.(app, index),
            [MARK]: directory,
          },
          execArgv: options.execArgv?.(app, index) ?? [],
        },
        home,
      ),
    );
    if (first === undefined) throw new TypeError(`at least one ${app} is needed`);
    return [first, ...others];
  };
  return {
    // In this order: the first port is the first gateway's.
    gateway: planned("gateway", gateway),
    writer: planned("writer", writer),
    ranker: planned("ranker", ranker),
    operatorUrls: operatorPorts.map(urlOf),
  };
}

async function runApps({ gateway, writer, ranker, operatorUrls }: AppServers, release: () => void): Promise<Apps> {
  const onWay = [gateway, writer, ranker];
  // Our process ends without stop(), e.g. by an uncaught exception: no time to wait, but they still end in an orderly way.
  const onExit = (): void => onWay.flat().forEach((app) => app.kill("SIGTERM"));
  process.once("exit", onExit);
  const stopApps = async (): Promise<void> => {
    for (const group of onWay) await Promise.all(group.map((app) => app.stop()));
    process.removeListener("exit", onExit);
  };
  const starts = await Promise.allSettled(onWay.flat().map((app) => app.start()));
  const failure = starts.find((start) => start.status === "rejected");
  if (failure) {
    await stopApps();
    throw failure.reason;
  }
  const urls = gateway.map(({ port }) => urlOf(port));
  let stopped: Promise<void> | undefined;
  return {
    url: urlOf(gateway[0].port),
    urls,
    operatorUrls,
    gateway: gateway[0],
    writer: writer[0],
    ranker: ranker[0],
    gateways: gateway,
    writers: writer,
    rankers: ranker,
    stop: () => (stopped ??= stopApps().finally(release)),
  };
}

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}`;
}

async function migrateTables(root: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const { exitCode, output, errors } = await runTally(root, environment, ["migrate"]);
  if (exitCode !== 0) throw new ServiceError("server-failed", `The tables cannot be made:\n${output}${errors}`);
}
