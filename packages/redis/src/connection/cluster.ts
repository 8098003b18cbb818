import { backOffMs, Outage, type Log } from "@tally/runtime";
import { Cluster, Command, Redis as Node, type ClusterNode, type RedisOptions as DriverOptions } from "ioredis";
import { tls, type ConnectionOptions, type Redis, type RedisOptions } from "./redis.ts";

type Options = NonNullable<ConstructorParameters<typeof Cluster<"legacy">>[1]>;

export interface ClusterAddress {
  /** Some of its nodes; they name the others. */
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  readonly node: Pick<DriverOptions, "username" | "password" | "tls">;
}

const scheme = /^redis(s?)\+cluster:/;
const defaultPort = 6379;

export function isCluster(url: string): boolean {
  return scheme.test(url.trimStart());
}

/** Reads URLs of a cluster's nodes, redis[s]+cluster://user:password@host:port, separated by commas. All nodes have the
 * account of the first URL. undefined: the URL of a single server. */
export function clusterAddressOf(text: string): ClusterAddress | undefined {
  const urls = text.split(",").map((entry) => entry.trim());
  const [first = ""] = urls;
  const secure = scheme.exec(first)?.[1];
  if (secure === undefined) return undefined;
  const { username, password } = new URL(first);
  return {
    nodes: urls.filter(Boolean).map((entry) => {
      const { hostname, port } = new URL(entry);
      return { host: hostname.replace(/^\[(.*)\]$/, "$1"), port: port === "" ? defaultPort : Number(port) };
    }),
    node: {
      ...(username !== "" && { username: decodeURIComponent(username) }),
      ...(password !== "" && { password: decodeURIComponent(password) }),
      ...(secure === "s" && { tls }),
    },
  };
}

// Without a timer, an old master that is frozen would keep its slots.
const readSlotsEveryMs = 2000;
const readSlotsWithinMs = 1000;
const connectWithinMs = 2000;
// During a failover two nodes that disagree about a slot send a command to each other.
const retryMovedMs = 10;
const retryElsewhereMs = 100;

/** A command follows its slot (MOVED, ASK, TRYAGAIN) until `commandTimeoutMs` has passed, without one forever. Commands
 * are written one by one: in a shared pipeline the caller of a redirected command gets the redirection as an error. */
export function openCluster(address: ClusterAddress, options: RedisOptions, shared: ConnectionOptions): Cluster {
  const { label, log, commandTimeoutMs, queuesWhileDown = true, scripts } = options;
  const cluster = new TimedCluster(commandTimeoutMs, [...address.nodes], {
    enableOfflineQueue: queuesWhileDown,
    clusterRetryStrategy: (failures) => backOffMs(failures, "unavailable"),
    maxRedirections: Number.POSITIVE_INFINITY,
    retryDelayOnMoved: retryMovedMs,
    retryDelayOnFailover: retryElsewhereMs,
    retryDelayOnClusterDown: retryElsewhereMs,
    retryDelayOnTryAgain: retryElsewhereMs,
    slotsRefreshTimeout: readSlotsWithinMs,
    // The names stay names: certificates name hosts, and a name may have another address after a failover.
    dnsLookup: (host, found) => found(null, host),
    redisOptions: { ...shared, ...address.node, connectTimeout: connectWithinMs },
    ...(scripts === undefined ? {} : { scripts }),
  });
  // Not `slotsRefreshInterval`: its timer starts anew after a disconnect during a read, and the process never ends.
  const reading = setInterval(
    () => cluster.status === "ready" && cluster.refreshSlotsCache(),
    readSlotsEveryMs,
  ).unref();
  cluster.once("end", () => clearInterval(reading));
  logOutages(cluster, label, log);
  return cluster;
}

/** Bounds the wait of a command for the cluster as a whole, which the connections to its nodes do not see. */
class TimedCluster extends Cluster {
  readonly #timeoutMs: number | undefined;

  constructor(timeoutMs: number | undefined, nodes: ClusterNode[], options: Options) {
    super(nodes, options);
    this.#timeoutMs = timeoutMs;
  }

  override sendCommand(command: Command, ...rest: readonly never[]): unknown {
    if (this.#timeoutMs !== undefined) command.setTimeout(this.#timeoutMs);
    return super.sendCommand(command, ...rest);
  }
}

/** One line when a master is away, and one when every slot has a master that responds. Replicas are not used. */
function logOutages(cluster: Cluster, label: string, log: Log): void {
  const outage = new Outage(log, `connect to Redis (${label})`);
  const away = new Set<string>();
  const masters = (): ReadonlySet<string> => new Set(cluster.nodes("master").map(nameOf));
  const returned = (name: string): void => {
    away.delete(name);
    if (away.size === 0) outage.worked();
  };
  cluster.once("ready", () => log.info({}, `connected to Redis (${label})`));
  cluster.on("error", (error: Error) => outage.failed(error));
  cluster.on("ready", () => returned(""));
  cluster.on("node error", (error: Error, name: string) => {
    if (!masters().has(name)) return;
    away.add(name);
    outage.failed(error);
  });
  cluster.on("+node", (node: Node) => {
    node.on("ready", () => returned(nameOf(node)));
    // Before the first command: one without a queue would meet a connection that is being opened.
    if (node.options.readOnly !== true) node.connect().catch(() => undefined); // emits "node error"
  });
  cluster.on("refresh", () => {
    const current = masters();
    for (const name of away) if (!current.has(name)) returned(name);
  });
}

function nameOf({ options: { host, port } }: Node): string {
  return `${host}:${port}`;
}

/** Connections to the servers that accept writes: the one, or the masters of a cluster as seen up to 2 s ago. */
export function mastersOf(redis: Redis): readonly Node[] {
  if (redis instanceof Cluster) return redis.nodes("master");
  return redis instanceof Node ? [redis] : [];
}

/** The one of them that has a key. undefined: the slots are not known yet, or no node serves the key's. */
export function masterOfKey(redis: Redis, key: string): Node | undefined {
  const masters = mastersOf(redis);
  if (!(redis instanceof Cluster)) return masters[0];
  const [name] = redis.slots[slotOf(key)] ?? [];
  return masters.find(({ options: { host, port } }) => `${host}:${port}` === name);
}

/** Those that have keys of the same slot: in a cluster one, two while the slot moves, or none. */
export async function mastersWithSlotOf(redis: Redis, key: string): Promise<readonly Node[]> {
  const masters = mastersOf(redis);
  if (!(redis instanceof Cluster)) return masters;
  const counts = await Promise.all(masters.map((master) => master.cluster("COUNTKEYSINSLOT", slotOf(key))));
  return masters.filter((_, index) => Number(counts[index]) > 0);
}

/** The slot of a key in a cluster: of its part in braces, or of all of it. */
function slotOf(key: string): number {
  return new Command("get", [key]).getSlot();
}
