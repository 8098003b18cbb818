import { setTimeout as delay } from "node:timers/promises";
import type { Server, System } from "@tally/local";
import { Redis } from "ioredis";
import { expect, vi } from "vitest";
import { atEnd } from "./at-end.ts";

/** A node of the system's Redis Cluster, and a connection of the administrator to it alone. */
interface RedisNode {
  readonly server: Server;
  readonly redis: Redis;
  readonly id: string;
}

/** The nodes of a Redis Cluster, as an operator sees them. */
interface RedisNodes {
  readonly all: readonly RedisNode[];
  slotOf(key: string): Promise<number>;
  /** The node that serves a key now, as another node says. */
  masterOf(key: string): Promise<RedisNode>;
  /** From now on its replica gets nothing more from a master. */
  cutOff(master: RedisNode): Promise<void>;
  /** Starts a killed node again. Resolves when it is a complete replica. */
  restart(node: RedisNode): Promise<void>;
  /** Moves a slot with its keys, some at a time, as redis-cli does; waits for `midway` when half of them have moved. Resolves with their number. */
  moveSlot(slot: number, from: RedisNode, to: RedisNode, midway?: () => Promise<unknown>): Promise<number>;
}

export async function openRedisNodes(system: Pick<System, "services" | "addresses">): Promise<RedisNodes> {
  const { username, password } = new URL(system.addresses.redisUrl.split(",")[0] ?? "");
  const servers = system.services.servers.filter(({ name }) => name.startsWith("redis-"));
  const all = await Promise.all(
    servers.map(async (server): Promise<RedisNode> => {
      const redis = new Redis({
        port: server.port,
        username,
        password,
        retryStrategy: () => 200,
        maxRetriesPerRequest: 1,
      });
      redis.on("error", () => undefined); // killed by the test
      atEnd(() => redis.disconnect());
      return { server, redis, id: await redis.cluster("MYID") };
    }),
  );
  const running = (): RedisNode => all.find(({ server }) => server.pid !== undefined) ?? expect.fail("no node runs");
  async function replicaOf(master: RedisNode): Promise<RedisNode> {
    // id, address, flags, id of its master, …
    const lines = String(await running().redis.cluster("NODES")).split("\n");
    const line = lines.find((one) => one.split(" ")[3] === master.id);
    return all.find(({ id }) => id === line?.split(" ")[0]) ?? expect.fail("it has no replica");
  }
  const slotOf = (key: string): Promise<number> => running().redis.cluster("KEYSLOT", key);

  return {
    all,
    slotOf,

    async masterOf(key) {
      const slot = await slotOf(key);
      const lines = String(await running().redis.cluster("NODES")).split("\n");
      const has = (range: string): boolean => {
        const [first = Number.NaN, last = first] = range.split("-").map(Number);
        return first <= slot && slot <= last;
      };
      // id, address, flags, …, then ranges of slots from the ninth field on.
      const line = lines.find((one) => /master/.test(one) && !/fail/.test(one) && one.split(" ").slice(8).some(has));
      return all.find(({ id }) => id === line?.split(" ")[0]) ?? expect.fail(`no master serves ${key}`);
    },

    async cutOff(master) {
      const replica = await replicaOf(master);
      await replica.redis.config("SET", "masterauth", "wrong");
      await master.redis.call("CLIENT", ["KILL", "TYPE", "replica"]);
    },

    async restart({ server, redis }) {
      await server.start();
      await vi.waitFor(async () => expect(await redis.info("replication")).toContain("master_link_status:up"), 60_000);
    },

    async moveSlot(slot, from, to, midway) {
      const half = (await from.redis.cluster("COUNTKEYSINSLOT", slot)) / 2;
      let waited = false;
      await to.redis.cluster("SETSLOT", slot, "IMPORTING", from.id);
      await from.redis.cluster("SETSLOT", slot, "MIGRATING", to.id);
      let moved = 0;
      for (;;) {
        // As bytes: the keys of the gateways' key memory are no text.
        const keys: unknown = await from.redis.callBuffer("CLUSTER", ["GETKEYSINSLOT", slot, 5]);
        if (!Array.isArray(keys) || keys.length === 0) break;
        const account = ["AUTH2", username, password, "KEYS", ...keys];
        await from.redis.call("MIGRATE", ["127.0.0.1", String(to.server.port), "", "0", "5000", ...account]);
        moved += keys.length;
        if (moved >= half && !waited) {
          waited = true;
          await midway?.();
        }
        await delay(20); // so that commands meet a slot of which each node has a part
      }
      await to.redis.cluster("SETSLOT", slot, "NODE", to.id);
      await from.redis.cluster("SETSLOT", slot, "NODE", to.id);
      return moved;
    },
  };
}
