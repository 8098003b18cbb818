import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ChildServer, type Server } from "../process/child-server.ts";
import { findProgram } from "../process/find-program.ts";
import { freePorts } from "../process/free-ports.ts";
import { isReady } from "../process/is-ready.ts";
import { directoryVariable, endLeftovers } from "../process/leftovers.ts";
import { ServiceError } from "../process/service-error.ts";
import { until } from "../process/until.ts";
import { type InstallOptions, installPackages } from "../services/apt-packages.ts";
import { DnsServer, type ServiceAddress } from "./dns-server.ts";

/** HAProxy's configuration, which containers use too. */
const balancerConfiguration = join(import.meta.dirname, "..", "..", "..", "haproxy", "haproxy.cfg");

const missing = [
  "HAProxy is not installed. Install it, then run the command again:",
  "  sudo apt-get install --no-install-recommends haproxy",
].join("\n");

export interface BalancerOptions extends InstallOptions {
  /** For its log and its pid file. One launcher at a time. */
  readonly directory: string;
  /** The public URLs of the gateways, with IPv4 addresses: `urls` of started apps. */
  readonly gateways: readonly string[];
  /** `addresses`: the gateways share a port, and are found as in Docker, by the addresses of one name. Default `services`: by SRV records. */
  readonly findBy?: "services" | "addresses";
  /** Further variables of haproxy.cfg. */
  readonly variables?: NodeJS.ProcessEnv;
}

/** A running HAProxy in front of gateways. */
export interface Balancer {
  /** For clients, without a slash at the end. */
  readonly url: string;
  /** /health/live, /health/ready and /metrics. */
  readonly operatorUrl: string;
  readonly server: Server;
  /** Changes the gateways, as `docker compose up --scale` does. Effective within about 2 s, which this does not wait for. */
  setGateways(urls: readonly string[]): void;
  /** The number of gateways that it sends requests to. */
  serving(): Promise<number>;
  stop(): Promise<void>;
}

/** The program. Installs Debian's or Ubuntu's package where that is possible; throws `not-installed` or `install-failed`. */
async function installedHaproxy(options: InstallOptions): Promise<string> {
  const find = (): string | undefined => findProgram(["haproxy"], options.environment);
  const found = find();
  if (found !== undefined) return found;
  await installPackages(["haproxy"], missing, options);
  const now = find();
  if (now === undefined) throw new ServiceError("not-installed", missing);
  return now;
}

/** Starts HAProxy with infra/haproxy/haproxy.cfg on free loopback ports. Resolves when it sends requests to all of the gateways. */
export async function startBalancer(options: BalancerOptions): Promise<Balancer> {
  const { environment, gateways, findBy = "services", variables, say, signal } = options;
  const program = await installedHaproxy(options);
  const directory = resolve(options.directory);
  for (const folder of ["log", "run"]) await mkdir(join(directory, folder), { recursive: true });
  await endLeftovers(directory, say);
  const dns = await DnsServer.listen("gateway");
  dns.set(gateways.map(addressOf));
  const [port = 0, operatorPort = 0] = await freePorts(2);
  const operatorUrl = `http://127.0.0.1:${operatorPort}`;
  const server = new ChildServer(
    {
      name: "balancer",
      program,
      args: ["-f", balancerConfiguration],
      environment: {
        TALLY_CLIENTS: `127.0.0.1:${port}`,
        TALLY_OPERATORS: `127.0.0.1:${operatorPort}`,
        TALLY_DNS: `127.0.0.1:${dns.port}`,
        TALLY_GATEWAYS: findBy === "services" ? "_gateway._tcp" : `gateway:${addressOf(gateways[0] ?? "").port}`,
        ...variables,
      },
      port,
      ready: () => isReady(`${operatorUrl}/health/ready`),
    },
    { directory, environment: { PATH: environment["PATH"], [directoryVariable]: directory }, say, signal },
  );
  const stop = async (): Promise<void> => {
    await server.stop();
    await dns.close();
  };
  const serving = async (): Promise<number> => {
    const metrics = await (await fetch(`${operatorUrl}/metrics`)).text();
    return Number(/^haproxy_backend_active_servers\{proxy="gateways"\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
  };
  try {
    await server.start();
    const all = await until(async () => (await serving()) === gateways.length, { withinMs: 30_000, signal });
    if (!all)
      throw new ServiceError(
        "server-failed",
        `The balancer reaches ${await serving()} gateways. See ${server.logFile}`,
      );
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: `http://127.0.0.1:${port}`,
    operatorUrl,
    server,
    setGateways: (urls) => dns.set(urls.map(addressOf)),
    serving,
    stop,
  };
}

function addressOf(url: string): ServiceAddress {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}
