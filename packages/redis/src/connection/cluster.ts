import { backOffMs, Outage, type Log } from "@tally/runtime";
import { Cluster, Command, Redis as Node, type ClusterNode, type RedisOptions as DriverOptions } from "ioredis";
import type { ConnectionOptions, Redis, RedisOptions } from "./open-redis.ts";

type Options = NonNullable<ConstructorParameters<typeof Cluster<"legacy">>[1]>;

/** Where a Redis Cluster is, and how its nodes are connected to. */
export interface ClusterAddress {
  /** Some of its nodes; they name the others. */
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  readonly node: Pick<DriverOptions, "username" | "password" | "tls">;
}

const scheme = /^redis(s?)\+cluster:/;
const defaultPort = 6379;

/** Whether it names the nodes of a cluster. */
export function isCluster(url: string): boolean {
  return scheme.test(url.trimStart());
}

/**
 * Reads the URLs of a cluster's nodes, with commas between: redis+cluster://user:password@host:port, or
 * rediss+cluster:// for TLS. All nodes have the same accounts: user and password of the first URL. undefined: the URL
 * of a single server.
 */
export function clusterAddressOf(text: string): ClusterAddress | undefined {
  const urls = text.split(",").map((entry) => entry.trim());
  const [first = ""] = urls;
  const tls = scheme.exec(first)?.[1];
  if (tls === undefined) return undefined;
  const { username, password } = new URL(first);
  return {
    nodes: urls.filter(Boolean).map((entry) => {
      const { hostname, port } = new URL(entry);
      return { host: hostname.replace(/^\[(.*)\]$/, "$1"), port: port === "" ? defaultPort : Number(port) };
    }),
    node: {
      ...(username !== "" && { username: decodeURIComponent(username) }),
      ...(password !== "" && { password: decodeURIComponent(password) }),
      ...(tls === "s" && { tls: {} }),
    },
  };
}

// The slots are also read after each MOVED and each lost connection. Without a timer, an old master that is frozen
// would keep its slots.
const readSlotsEveryMs = 2000;
const readSlotsWithinMs = 1000;
const connectWithinMs = 2000;
// Two nodes that disagree about a slot send a command to each other: for as long as a failover takes, not at full
// speed.
const retryMovedMs = 10;
const retryElsewhereMs = 100;

/**
 * A command follows its slot: to another node (MOVED), during the move of a slot (ASK, TRYAGAIN), and after a failover.
 * It is repeated until `commandTimeoutMs` has passed, without one forever. Writes each command separately: in a shared
 * pipeline one command that is redirected fails, while the others work, and its caller gets the redirection as an
 * error.
 */
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

/** Also bounds the wait of a command for the cluster as a whole, of which the connections to its nodes know nothing. */
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
    // Connected before the first command, so that a command without a queue does not meet a connection that is being
    // opened.
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

/**
 * Connections to the servers that accept writes: the one server, or the masters of a cluster as it was seen up to 2 s
 * ago.
 */
export function mastersOf(redis: Redis): readonly Node[] {
  if (redis instanceof Cluster) return redis.nodes("master");
  return redis instanceof Node ? [redis] : [];
}

/**
 * The one of them that has a key. undefined: the slots of the cluster are not known yet, or no node serves the key's.
 */
export function masterOfKey(redis: Redis, key: string): Node | undefined {
  const masters = mastersOf(redis);
  if (!(redis instanceof Cluster)) return masters[0];
  const [name] = redis.slots[slotOf(key)] ?? [];
  return masters.find(({ options: { host, port } }) => `${host}:${port}` === name);
}

/** The ones that have keys of the same slot: of a cluster one, two while the slot moves, or none. */
export async function mastersWithSlotOf(redis: Redis, key: string): Promise<readonly Node[]> {
  const masters = mastersOf(redis);
  if (!(redis instanceof Cluster)) return masters;
  const counts = await Promise.all(masters.map((master) => master.cluster("COUNTKEYSINSLOT", slotOf(key))));
  return masters.filter((_, index) => Number(counts[index]) > 0);
}

/** The slots of a cluster: 0 to one less. */
export const slots = 16_384;

/** The slot of a key in a cluster: of its part in braces, or of all of it. */
export function slotOf(key: string): number {
  return new Command("get", [key]).getSlot();
}
