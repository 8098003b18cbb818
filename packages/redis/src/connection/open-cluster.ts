import { backOffMs, Outage, type Log } from "@tally/runtime";
import { Cluster, type ClusterNode, type Command, type Redis as Node } from "ioredis";
import type { ClusterAddress } from "./cluster-address.ts";
import type { ConnectionOptions, RedisOptions } from "./open-redis.ts";

type Options = NonNullable<ConstructorParameters<typeof Cluster<"legacy">>[1]>;

// The slots are also read after each MOVED and each lost connection. Without a timer, an old master that is frozen would keep its slots.
const readSlotsEveryMs = 2000;
const readSlotsWithinMs = 1000;
const connectWithinMs = 2000;
// Two nodes that disagree about a slot send a command to each other: for as long as a failover takes, not at full speed.
const retryMovedMs = 10;
const retryElsewhereMs = 100;

/**
 * A command follows its slot: to another node (MOVED), during the move of a slot (ASK, TRYAGAIN), and after a failover. It is repeated until
 * `commandTimeoutMs` has passed, without one forever. Writes each command separately: in a shared pipeline one command that is redirected
 * fails, while the others work, and its caller gets the redirection as an error.
 */
export function openCluster(address: ClusterAddress, options: RedisOptions, shared: ConnectionOptions): Cluster {
  const { nodes, username, password, tls } = address;
  const { label, log, commandTimeoutMs, queuesWhileDown = true, scripts } = options;
  const cluster = new TimedCluster(commandTimeoutMs, [...nodes], {
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
    redisOptions: {
      ...shared,
      connectTimeout: connectWithinMs,
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
      ...(tls ? { tls: {} } : {}),
    },
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
    // Connected before the first command, so that a command without a queue does not meet a connection that is being opened.
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
