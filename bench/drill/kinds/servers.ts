import { setTimeout as delay } from "node:timers/promises";
import type { ProxyState } from "@tally/local";
import type { AppProcess, ServerName, System } from "../system.ts";
import type { FaultKind } from "./fault-kind.ts";
import { promotion } from "./promotion.ts";
import { freeze, gatewayOf } from "./processes.ts";

/* Faults of the servers that tally uses, and of the network between apps and servers. */

/** A fault with one target and a duration, or time to stay down, between two limits. `inject` ends it and returns. */
const serverKind = (
  name: string,
  target: ServerName,
  [msMin, msMax]: readonly [number, number],
  inject: (system: System, ms: number) => Promise<unknown>,
  redisLost?: true,
): FaultKind => ({
  name,
  needs: "operator",
  plan: (random) => ({ target, ms: random.integer(msMin, msMax), count: 0 }),
  async inject(system, { ms }) {
    await inject(system, ms);
    return { backAt: performance.now(), ...(redisLost && { redisLost }) };
  },
});

async function killAndStart(system: System, name: ServerName, ms: number, meanwhile?: () => Promise<void>) {
  const server = system.server(name);
  await server.stop({ atOnce: true });
  await meanwhile?.();
  await delay(ms);
  await server.start();
}

const killed = (called: string, target: ServerName): FaultKind =>
  serverKind(`${called}-killed`, target, [0, 1000], (system, ms) => killAndStart(system, target, ms));

const frozen = (called: string, target: ServerName): FaultKind =>
  serverKind(`${called}-frozen`, target, [500, 2500], (system, ms) => freeze(system, target, ms));

const alarm = (called: string, setting: string, raised: string, normal: string): FaultKind =>
  serverKind(`broker-${called}`, "rabbitmq", [300, 2000], async ({ operator }, ms) => {
    await operator.rabbitmqctl(setting, raised);
    await delay(ms);
    await operator.rabbitmqctl(setting, normal);
  });

const readOnly = serverKind("primary-read-only", "database-primary", [500, 2500], async ({ operator }, ms) => {
  await operator.sql("SET GLOBAL read_only = 1");
  await delay(ms);
  await operator.sql("SET GLOBAL read_only = 0");
});

/** Redis comes back with a snapshot that was taken `count` ms before the kill. In a container it has a log. */
const redisOlder: FaultKind = {
  name: "redis-killed-older",
  needs: "programs",
  plan: (random) => ({ target: "redis", ms: random.integer(0, 500), count: random.integer(1000, 4000) }),
  async inject(system, { ms, count: lostMs }) {
    await system.operator.redis("SAVE");
    await delay(lostMs);
    await killAndStart(system, "redis", ms);
    return { backAt: performance.now(), redisLost: true };
  },
};

const redisLost = (name: string, msMax: number, inject: (system: System, ms: number) => Promise<unknown>): FaultKind =>
  serverKind(`redis-${name}`, "redis", [0, msMax], inject, true);

export const serverKinds: readonly FaultKind[] = [
  killed("broker", "rabbitmq"),
  frozen("broker", "rabbitmq"),
  // More than any disk has free; then the limit that the broker was started with.
  alarm("disk-full", "set_disk_free_limit", "9999GB", "500MB"),
  alarm("memory-full", "set_vm_memory_high_watermark", "0", "0.4"),
  killed("primary", "database-primary"),
  frozen("primary", "database-primary"),
  readOnly,
  killed("replica", "database-replica"),
  frozen("replica", "database-replica"),
  promotion,
  redisLost("killed-kept", 1000, async (system, ms) => {
    await system.operator.redis("SAVE");
    await killAndStart(system, "redis", ms);
  }),
  redisOlder,
  redisLost("wiped", 500, (system, ms) => killAndStart(system, "redis", ms, () => system.operator.wipeRedis())),
  redisLost("flushed", 0, (system) => system.operator.redis("FLUSHALL")),
  frozen("redis", "redis"),
];

const routes: readonly [Route, ...Route[]] = [
  ["gateway-1", "rabbitmq"],
  ["gateway-2", "rabbitmq"],
  ["gateway-1", "database-replica"],
  ["gateway-2", "redis"],
  ["writer", "rabbitmq"],
  ["writer", "database-primary"],
  ["ranker", "rabbitmq"],
  ["ranker", "redis"],
  ["ranker", "database-primary"],
];
type Route = readonly [AppProcess, ServerName];
const nameOf = ([from, to]: Route): string => `${from} to ${to}`;

const link = (name: string, msMax: number, stateOf: (delayMs: number) => ProxyState): FaultKind => ({
  name: `link-${name}`,
  plan: (random) => ({
    target: nameOf(random.pick(routes)),
    ms: random.integer(300, msMax),
    count: random.integer(50, 300),
  }),
  async inject(system, { target, ms, count: delayMs }) {
    const route = routes.find((one) => nameOf(one) === target);
    if (route === undefined) throw new TypeError(`there is no link ${target}`);
    const proxy = system.link(...route);
    proxy.become(stateOf(delayMs));
    await delay(ms);
    proxy.become({ name: "open" });
    return { backAt: performance.now(), ...gatewayOf(route[0]) };
  },
});

export const linkKinds: readonly FaultKind[] = [
  link("cut", 2000, () => ({ name: "cut" })),
  link("stalled", 2500, () => ({ name: "frozen" })),
  link("slow", 3000, (delayMs) => ({ name: "slow", delayMs })),
];
