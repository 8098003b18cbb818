import { KeyRing } from "@tally/access";
import { Outage, ConfigError, type Logger } from "@tally/runtime";
import type { SqlReader } from "@tally/contract";
import type { GatewayConfig } from "../config.ts";
import { addressesIn } from "../http/connection/client-address.ts";
import type { AdmissionOptions } from "./admission.ts";
import { RateLimits, redisBuckets } from "./rate-limits.ts";

/** The keys and the rate limits of a gateway. */
export interface Admission extends AdmissionOptions {
  /** The valid keys; undefined when no keys are required. */
  readonly ring: KeyRing | undefined;
  close(): Promise<void>;
}

/** Opens the keys and limits that the settings enable. `reader` reads the write endpoint. */
export async function openAdmission(config: GatewayConfig, reader: SqlReader, log: Logger): Promise<Admission> {
  const outage = new Outage(log, "read API keys");
  const ring =
    config.auth === "off"
      ? undefined
      : new KeyRing({ reader, onFailed: (error) => outage.failed(error), onRead: () => outage.worked() });
  const perKey = limitOf(config.rateLimitPerKey, config.rateLimitPerKeyBurst);
  const perAddress = limitOf(config.rateLimitPerAddress, config.rateLimitPerAddressBurst);
  // A key may have its own limit, even without one in the settings.
  const isLimited = ring !== undefined || perAddress !== undefined;
  const url = config.doorRedisUrl === "" ? config.redisUrl : config.doorRedisUrl;
  const redis = isLimited ? redisBuckets({ url, namespace: config.namespace, log }) : undefined;
  await ring?.start();
  return {
    ring,
    check: ring && ((text) => ring.check(text)),
    limits:
      redis &&
      new RateLimits({ buckets: redis.buckets, perKey, perAddress, failsOpen: config.rateLimitFails === "open" }),
    async close() {
      redis?.close();
      await ring?.stop();
    },
  };
}

function limitOf(perSecond: number, burst: number) {
  return perSecond === 0 ? undefined : { perSecond, burst };
}

const isLoopback = addressesIn(["127.0.0.0/8", "::1"]);

/**
 * Throws a ConfigError when clients on other machines can reach the gateway without a key, unless that is confirmed.
 */
export function forbidOpenToOthers({ auth, authOffConfirmed, host }: GatewayConfig): void {
  if (auth === "required" || authOffConfirmed === "yes" || host === "localhost" || isLoopback(host)) return;
  const expected = "required; or off with a HOST on a loopback address, or with AUTH_OFF_CONFIRMED=yes";
  throw new ConfigError([{ variable: "AUTH", expected, got: `off with HOST=${host}` }]);
}
