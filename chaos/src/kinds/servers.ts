import { setTimeout as delay } from "node:timers/promises";
import type { ServerName, Stand } from "../stand.ts";
import type { FaultKind } from "./fault-kind.ts";
import { freeze } from "./processes.ts";

/* The servers that tally stands on. */

async function killAndStart(stand: Stand, name: ServerName, ms: number, meanwhile?: () => Promise<void>) {
  const server = stand.process(name);
  await server.stop({ atOnce: true });
  await meanwhile?.();
  await delay(ms);
  await server.start();
  return performance.now();
}

const killed = (name: ServerName, called: string): FaultKind => ({
  name: `${called}-killed`,
  plan: (random) => ({ target: name, ms: random.integer(0, 1000), count: 0 }),
  inject: async (stand, { ms }) => ({ backAt: await killAndStart(stand, name, ms) }),
});

const frozen = (name: ServerName, called: string): FaultKind => ({
  name: `${called}-frozen`,
  plan: (random) => ({ target: name, ms: random.integer(500, 2500), count: 0 }),
  async inject(stand, { ms }) {
    await freeze(stand, name, ms);
    return { backAt: performance.now() };
  },
});

const alarm = (called: string, raise: readonly string[], lift: readonly string[]): FaultKind => ({
  name: `broker-${called}`,
  plan: (random) => ({ target: "rabbitmq", ms: random.integer(300, 2000), count: 0 }),
  async inject({ operator }, { ms }) {
    await operator.rabbitmqctl(...raise);
    try {
      await delay(ms);
    } finally {
      await operator.rabbitmqctl(...lift);
    }
    return { backAt: performance.now() };
  },
});

const readOnly: FaultKind = {
  name: "primary-read-only",
  plan: (random) => ({ target: "database-primary", ms: random.integer(500, 2500), count: 0 }),
  async inject({ operator }, { ms }) {
    await operator.sql("SET GLOBAL read_only = 1");
    try {
      await delay(ms);
    } finally {
      await operator.sql("SET GLOBAL read_only = 0");
    }
    return { backAt: performance.now() };
  },
};

const redisKept: FaultKind = {
  name: "redis-killed-kept",
  plan: (random) => ({ target: "redis", ms: random.integer(0, 1000), count: 0 }),
  async inject(stand, { ms }) {
    await stand.operator.redis("SAVE");
    return { backAt: await killAndStart(stand, "redis", ms), redisLost: true };
  },
};

const redisOlder: FaultKind = {
  name: "redis-killed-older",
  plan: (random) => ({ target: "redis", ms: random.integer(0, 500), count: random.integer(1000, 4000) }),
  async inject(stand, { ms, count: lostMs }) {
    await stand.operator.redis("SAVE");
    await delay(lostMs);
    return { backAt: await killAndStart(stand, "redis", ms), redisLost: true };
  },
};

const redisWiped: FaultKind = {
  name: "redis-wiped",
  plan: (random) => ({ target: "redis", ms: random.integer(0, 500), count: 0 }),
  async inject(stand, { ms }) {
    return { backAt: await killAndStart(stand, "redis", ms, () => stand.operator.wipeRedis()), redisLost: true };
  },
};

const redisFlushed: FaultKind = {
  name: "redis-flushed",
  plan: () => ({ target: "redis", ms: 0, count: 0 }),
  async inject(stand) {
    await stand.operator.redis("FLUSHALL");
    return { backAt: performance.now(), redisLost: true };
  },
};

export const serverKinds: readonly FaultKind[] = [
  killed("rabbitmq", "broker"),
  frozen("rabbitmq", "broker"),
  // More than any disk has free, and what the broker was started with.
  alarm("disk-full", ["set_disk_free_limit", "9999GB"], ["set_disk_free_limit", "500MB"]),
  alarm("memory-full", ["set_vm_memory_high_watermark", "0"], ["set_vm_memory_high_watermark", "0.4"]),
  killed("database-primary", "primary"),
  frozen("database-primary", "primary"),
  readOnly,
  killed("database-replica", "replica"),
  frozen("database-replica", "replica"),
  redisKept,
  redisOlder,
  redisWiped,
  redisFlushed,
  frozen("redis", "redis"),
];
