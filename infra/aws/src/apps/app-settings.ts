import { sizes } from "../sizes.ts";

export const apps = ["gateway", "writer", "ranker"] as const;
export type App = (typeof apps)[number];

/** The prefix of queues and of keys in Redis. Accounts have rights on this prefix only. */
export const namespace = "tally";

/** The port with /health/live of each app: the default of its setting, as the gateway's operator port. */
export const livePorts: Readonly<Record<App, number>> = { gateway: 8080, writer: 8081, ranker: 8082 };

export const gatewayOperatorPort = 8083;

/** Where the instances keep the certificates of Amazon RDS, which Node does not know. Mounted read-only into each
 * container. */
export const certificates = { folder: "/etc/tally", file: "/etc/tally/rds-ca.pem" } as const;

/** Variables of Node itself, not of tally. The root file system is read-only; /tmp is memory. */
export const nodeEnvironment = {
  NODE_EXTRA_CA_CERTS: certificates.file,
  NODE_COMPILE_CACHE: "/tmp/compile-cache",
} as const;

/** Seconds between SIGTERM and SIGKILL. An app stops within 20, the default of STOP_WITHIN_MS. */
export const stopTimeoutSeconds = 30;

export interface ChosenSettings {
  readonly trustedProxies: readonly string[];
  readonly servedDomains: string;
  readonly currency: string;
}

/** Settings without secrets: those that differ from their defaults, or that are rights or sizes of the stack too. */
export function appEnvironment(
  app: App,
  { trustedProxies, servedDomains, currency }: ChosenSettings,
): Readonly<Record<string, string>> {
  const own = {
    // Without it all clients behind the load balancer share one limit.
    gateway: { TRUST_PROXY: trustedProxies.join(","), CURRENCY: currency },
    // A task has one core. More tasks, not more threads: tasks are spread over both zones.
    writer: { WRITER_THREADS: "1" },
    ranker: {},
  };
  const rankingShards = String(sizes.cache.rankingShards);
  return { NAMESPACE: namespace, RANKING_SHARDS: rankingShards, DOMAINS: servedDomains, ...own[app] };
}
