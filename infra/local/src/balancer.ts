import { join, resolve } from "node:path";
import { ChildServer, type Server } from "./process/child-server.ts";
import { freePorts } from "./process/free-ports.ts";
import { isReady, until } from "./process/until.ts";
import { directoryVariable, endLeftovers } from "./process/directory-lock.ts";
import { ServiceError } from "./process/run-command.ts";
import { installedProgram, type InstallOptions } from "./services/installed-programs.ts";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { isIPv4 } from "node:net";
import { AUTHORITATIVE_ANSWER, decode, encode, type Answer } from "dns-packet";

/** HAProxy's configuration, which containers use too. */
const balancerConfiguration = join(import.meta.dirname, "..", "..", "haproxy", "haproxy.cfg");

interface BalancerOptions extends InstallOptions {
  /** For its log and its pid file. One launcher at a time. */
  readonly directory: string;
  /** The public URLs of the gateways, with IPv4 addresses: `urls` of started apps. */
  readonly gateways: readonly string[];
  /** `addresses`: the gateways share a port, and are found as in Docker, by the addresses of one name. Default
   * `services`: by SRV records. */
  readonly findBy?: "services" | "addresses";
  /** Further variables of haproxy.cfg. */
  readonly variables?: NodeJS.ProcessEnv;
}

export type Balancer = Awaited<ReturnType<typeof startBalancer>>;

/** Starts HAProxy with infra/haproxy/haproxy.cfg on free loopback ports. Resolves when it sends requests to all of the
 * gateways. */
export async function startBalancer(options: BalancerOptions) {
  const { environment, gateways, findBy = "services", variables, say, signal } = options;
  const program = await installedProgram("haproxy", "HAProxy", options);
  const directory = resolve(options.directory);
  await endLeftovers(directory, say);
  await using opened = new AsyncDisposableStack();
  const dns = await serveDns("gateway");
  opened.defer(() => dns.close());
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
  opened.defer(async () => void (await server.stop()));
  const serving = async (): Promise<number> => {
    const metrics = await (await fetch(`${operatorUrl}/metrics`)).text();
    return Number(/^haproxy_backend_active_servers\{proxy="gateways"\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
  };
  await server.start();
  const reached = await until(async () => (await serving()) === gateways.length, { withinMs: 30_000, signal });
  if (!reached)
    throw new ServiceError("server-failed", `The balancer reaches ${await serving()} gateways. See ${server.logFile}`);
  const all = opened.move();
  return {
    url: `http://127.0.0.1:${port}`,
    /** /health/live, /health/ready and /metrics. */
    operatorUrl,
    server: server satisfies Server,
    /** Changes the gateways, as `docker compose up --scale` does. Effective within about 2 s, which this does not wait
     * for. */
    setGateways: (urls: readonly string[]) => dns.set(urls.map(addressOf)),
    /** The number of gateways that it sends requests to. */
    serving,
    stop: () => all.disposeAsync(),
  };
}

function addressOf(url: string) {
  const { hostname: host, port } = new URL(url);
  if (!isIPv4(host)) throw new TypeError(`expected an IPv4 address, got ${host}`);
  return { host, port: Number(port) };
}

type ServiceAddress = ReturnType<typeof addressOf>;

/** DNS for one service on loopback UDP: `name` gives the addresses, `_name._tcp` SRV records with ports, whose targets
 * are `0.name`, `1.name`, … */
async function serveDns(service: string) {
  let hosts: readonly (ServiceAddress & { readonly target: string })[] = [];
  const addressRecord = (name: string, data: string): Answer => ({ type: "A", name, ttl: 0, data });
  const respond = (query: Buffer): Buffer => {
    const { id = 0, questions = [] } = decode(query);
    const { name, type } = questions[0] ?? { name: "", type: "A" };
    const isService = name === service || name === `_${service}._tcp`;
    const asked = hosts.filter(({ target }) => isService || target === name);
    const known = isService || asked.length > 0;
    const services = asked.map(({ target, port }): Answer => {
      return { type: "SRV", name, ttl: 0, data: { target, port, weight: 1, priority: 1 } };
    });
    const isForService = type === "SRV" && isService;
    return encode({
      type: "response",
      id,
      flags: AUTHORITATIVE_ANSWER | (known ? 0 : noSuchName),
      questions,
      answers: isForService ? services : type === "A" ? asked.map(({ host }) => addressRecord(name, host)) : [],
      additionals: isForService ? asked.map(({ target, host }) => addressRecord(target, host)) : [],
    });
  };
  const socket = createSocket("udp4", (message, { port, address }) => socket.send(respond(message), port, address));
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    port: socket.address().port,
    /** From the next query on. */
    set(addresses: readonly ServiceAddress[]): void {
      hosts = addresses.map((address, index) => ({ ...address, target: `${index}.${service}` }));
    },
    async close(): Promise<void> {
      socket.close();
      await once(socket, "close");
    },
  };
}

const noSuchName = 3;
