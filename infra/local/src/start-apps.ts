import { join, resolve } from "node:path";
import { ChildServer, runStages, type ServerHome, type ServerPlan } from "./process/child-server.ts";
import { whileLocked, directoryVariable, endLeftovers } from "./process/directory-lock.ts";
import { freePorts } from "./process/free-ports.ts";
import { isReady, Waits } from "./process/until.ts";
import { type CommandOptions, runCommand, ServiceError } from "./process/run-command.ts";
import { type Accounts, type Addresses, addressVariables } from "./services/addresses.ts";

export const appNames = ["gateway", "writer", "ranker"] as const;
export type AppName = (typeof appNames)[number];

export interface AppsOptions {
  /** The checkout whose apps run. */
  readonly root: string;
  /** For logs, in `log/`, and pid files. One launcher at a time. Apps that a killed launcher has left running are ended
   * first. */
  readonly directory: string;
  /** Addresses with the administrator's account, which creates the tables. */
  readonly addresses: Addresses;
  /** Addresses with the account of each app, and of the gateway for changes of dead letters. Absent: `addresses` for
   * all of them. */
  readonly accounts?: Accounts;
  /** The first gateway's port. Default 0: a free one. */
  readonly port?: number;
  readonly environment: NodeJS.ProcessEnv;
  readonly instances?: { readonly [app in AppName]?: number };
  /** Environment variables of one process, with the highest precedence. `index` counts the processes of an app from 0.
   */
  readonly environmentOf?: (app: AppName, index: number) => NodeJS.ProcessEnv;
  /** Further flags for node. A restarted process gets the same. */
  readonly execArgv?: (app: AppName, index: number) => readonly string[];
  /** A module to start as the gateway, and its arguments. Default: the app's. */
  readonly gatewayMain?: readonly string[] | undefined;
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
  /** Gets what the start and the stop wait for. */
  readonly waits?: Waits | undefined;
}

export type Apps = Awaited<ReturnType<typeof startApps>>;

/** Creates or updates the tables, then starts gateways, writers and rankers. Resolves when all are ready. */
export async function startApps(options: AppsOptions) {
  const { root, addresses, say, waits = new Waits() } = options;
  const directory = resolve(options.directory);
  return whileLocked(directory, async () => {
    await waits.during("apps of an earlier run to stop", () => endLeftovers(directory, say));
    const environment: NodeJS.ProcessEnv = {
      ...compileCache(root),
      // The gateways listen on loopback only.
      AUTH: "off",
      ...options.environment,
      ...addressVariables(addresses),
    };
    const migrate = async (): Promise<void> => {
      const { exitCode, output, errors } = await waits.during("the tables", () =>
        runTally(root, environment, ["migrate"]),
      );
      if (exitCode !== 0) throw new ServiceError("server-failed", `Cannot create the tables:\n${output}${errors}`);
    };
    await migrate();
    const plan = await plannedApps({ ...options, directory, environment, waits });
    const stages = [plan.gateways, plan.writers, plan.rankers];
    const stop = await runStages(
      stages,
      stages.flat().map((app) => app.start()),
    );
    return {
      ...plan,
      /** The first gateway, without a slash at the end. */
      url: urlOf(plan.gateways[0].port),
      /** One for each gateway. A restart does not change them. */
      urls: plan.gateways.map(({ port }) => urlOf(port)),
      gateway: plan.gateways[0],
      writer: plan.writers[0],
      ranker: plan.rankers[0],
      migrate,
      /** Stops gateways, then writers, then rankers, so that each finishes what the one before has sent. May be called
       * again. */
      stop,
    };
  });
}

async function plannedApps(options: AppsOptions) {
  const { root, directory, environment, instances = {}, port: firstPort = 0, say, signal, waits } = options;
  const home = { directory, environment, say, signal: signal ?? new AbortController().signal, waits };
  const { gateway = 1, writer = 1, ranker = 1 } = instances;
  const free = await freePorts(2 * gateway + writer + ranker);
  const operatorPorts = free.splice(-gateway);
  if (firstPort !== 0) free[0] = firstPort;
  const planned = (app: AppName, count: number): readonly [ChildServer, ...ChildServer[]] => {
    const main = (app === "gateway" && options.gatewayMain) || [join(root, "apps", app, "src", "main.ts")];
    const [first, ...others] = free.splice(0, count).map((port, index) => {
      const isGateway = app === "gateway";
      const own = {
        ...(options.accounts && addressVariables(options.accounts[app])),
        ...(isGateway && {
          PORT: String(port),
          OPERATOR_DATABASE_URL: (options.accounts?.maintenance ?? options.addresses).databaseWriteUrl,
        }),
        ...options.environmentOf?.(app, index),
        [directoryVariable]: directory,
      };
      return appServer(
        {
          app,
          name: count === 1 ? app : `${app}-${index + 1}`,
          port,
          healthPort: isGateway ? (operatorPorts[index] ?? 0) : port,
          environment: own,
          args: [...(options.execArgv?.(app, index) ?? []), ...heapFlags, ...main],
        },
        home,
      );
    });
    if (first === undefined) throw new TypeError(`at least one ${app} is needed`);
    return [first, ...others];
  };
  return {
    // All processes of an app: `gateway`, or `gateway-1`, `gateway-2`, … when there are several. In this order: the first
    // port is the first gateway's.
    gateways: planned("gateway", gateway),
    writers: planned("writer", writer),
    rankers: planned("ranker", ranker),
    /** Each gateway's operator port: /health and /metrics. The operator port of writers and rankers is their `port`. */
    operatorUrls: operatorPorts.map(urlOf),
  };
}

const urlOf = (port: number): string => `http://127.0.0.1:${port}`;

interface AppPlan extends Pick<ServerPlan, "name" | "port" | "args" | "environment"> {
  readonly app: AppName;
  /** For writer and ranker the same as `port`, which a gateway has for clients. */
  readonly healthPort: number;
}

/** Flags for node that bound the memory of an app. The images have the same; a test compares them. With V8's defaults a
 * busy app grows to 300 MB and more, most of it garbage: a young generation of 128 MB, and an old one of three times
 * its live objects. With these bounds, gateway and writer stay near 200 MB (docs/performance.md). The young generation
 * has its full size from the start: where it begins small, V8 does not always let it grow, and then the gateway takes
 * half as much CPU time again for each purchase. Pretenuring is off: V8 may decide in the first second of load that the
 * objects of some line of code live long, and then creates them in the old generation for the rest of the process. A
 * dead old object keeps alive what it refers to, here whole requests, until a collection of all objects: half of the
 * gateways took 30 % more CPU time (docs/performance.md, "Regression checks"). The last flag bounds the unforeseen: the
 * process ends and is started again, instead of the machine running out of memory. */
export const heapFlags = [
  "--min-semi-space-size=32",
  "--max-semi-space-size=32",
  "--heap-growing-percent=100",
  "--no-allocation-site-pretenuring",
  "--max-old-space-size=512",
];

/** One process of an app, not started yet. It serves when its readiness route succeeds. */
export function appServer({ app, healthPort, environment, ...plan }: AppPlan, home: ServerHome): ChildServer {
  return new ChildServer(
    {
      ...plan,
      program: process.execPath,
      environment: { [`${app.toUpperCase()}_HEALTH_PORT`]: String(healthPort), HOST: "127.0.0.1", ...environment },
      ready: () => isReady(`http://127.0.0.1:${healthPort}/health/ready`),
    },
    home,
  );
}

/** Reduces the time to start an app again by a quarter, a command by half. */
const compileCache = (root: string) => ({ NODE_COMPILE_CACHE: join(root, ".tally", "compile-cache") });

/** Runs the command `tally` of a checkout, as its users do, with only this environment. `signal` kills it. */
export function runTally(
  root: string,
  environment: NodeJS.ProcessEnv,
  args: readonly string[],
  options: Pick<CommandOptions, "signal" | "onLine"> = {},
) {
  const command = join(root, "apps", "admin", "src", "main.ts");
  const all = { ...compileCache(root), ...environment };
  return runCommand(process.execPath, [command, ...args], { environment: all, ...options });
}
