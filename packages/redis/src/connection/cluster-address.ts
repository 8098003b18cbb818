/** Where a Redis Cluster is, and how its nodes are connected to. */
export interface ClusterAddress {
  /** Some of its nodes; they name the others. */
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly tls: boolean;
}

const scheme = /^redis(s?)\+cluster:/;
const defaultPort = 6379;

/** Whether it names the nodes of a cluster. */
export function isCluster(url: string): boolean {
  return scheme.test(url.trimStart());
}

/**
 * Reads the URLs of a cluster's nodes, with commas between: redis+cluster://user:password@host:port, or rediss+cluster:// for TLS. All nodes
 * have the same accounts: user and password of the first URL. undefined: the URL of a single server.
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
    username: decoded(username),
    password: decoded(password),
    tls: tls === "s",
  };
}

function decoded(text: string): string | undefined {
  return text === "" ? undefined : decodeURIComponent(text);
}
