import { sizes } from "../sizes.ts";

export const apps = ["gateway", "writer", "ranker"] as const;
export type App = (typeof apps)[number];

/** The prefix of queues and of keys in Redis. Accounts have rights on this prefix only. */
export const namespace = "tally";

/** The port with /health/live of each app. */
export const livePorts: Readonly<Record<App, number>> = { gateway: 8080, writer: 8081, ranker: 8082 };

/** The gateway's port with /metrics. */
export const gatewayOperatorPort = 8083;

/** Where the instances keep the certificates of Amazon RDS, which Node does not know. Mounted read-only into each
 * container. */
export const certificates = { folder: "/etc/tally", file: "/etc/tally/rds-ca.pem" } as const;

/** Variables of Node itself, not of tally. The root file system is read-only; /tmp is memory. */
export const nodeEnvironment = {
  NODE_EXTRA_CA_CERTS: certificates.file,
  NODE_COMPILE_CACHE: "/tmp/compile-cache",
} as const;

/** Seconds between SIGTERM and SIGKILL. An app stops within STOP_WITHIN_MS. */
export const stopTimeoutSeconds = 30;

/** Settings that differ from their defaults or that the stack relies on, without secrets. */
export function appEnvironment(
  app: App,
  { trustedProxies, servedDomains }: { readonly trustedProxies: readonly string[]; readonly servedDomains: string },
): Readonly<Record<string, string>> {
  const all = {
    NAMESPACE: namespace,
    RANKING_SHARDS: String(sizes.cache.rankingShards),
    STOP_WITHIN_MS: "20000",
    DOMAINS: servedDomains,
  };
  switch (app) {
    case "gateway":
      return {
        ...all,
        PORT: String(livePorts.gateway),
        GATEWAY_HEALTH_PORT: String(gatewayOperatorPort),
        // Without it all clients behind the load balancer share one limit.
        TRUST_PROXY: trustedProxies.join(","),
      };
    case "writer":
      // A task has one core. More tasks, not more threads: tasks are spread over both zones.
      return { ...all, WRITER_HEALTH_PORT: String(livePorts.writer), WRITER_THREADS: "1" };
    case "ranker":
      return { ...all, RANKER_HEALTH_PORT: String(livePorts.ranker), RANKER_THREADS: "1" };
  }
}
