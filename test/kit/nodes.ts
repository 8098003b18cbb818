import { accountsOf, freePorts, openTcpProxy } from "@tally/local";
import type { Addresses, PrivateServices, Server, System, TcpProxy } from "@tally/local";
import { Redis } from "ioredis";
import { setTimeout as delay } from "node:timers/promises";
import { expect, vi } from "vitest";
import { atEnd } from "@tally/local/at-end";

interface DatabaseReplica {
  readonly port: number;
  readonly sql: (text: string) => Promise<string>;
}

/** A MariaDB primary and its replicas, and what an operator does with them as docs/servers.md describes it. */
export async function openDatabaseNodes({ servers, operator }: PrivateServices) {
  expect(await operator.sql("SELECT VERSION()")).toContain("MariaDB");
  const replicas = servers
    .filter(({ name }) => name.startsWith("database-replica"))
    .map(({ port }, index) => ({ port, sql: (text: string) => operator.replicaSql(text, index + 1) }));
  // Host, user and password stay as they are.
  const follow = (replica: DatabaseReplica, { port }: DatabaseReplica): Promise<string> =>
    replica.sql(`STOP SLAVE; CHANGE MASTER TO MASTER_PORT = ${port}, MASTER_USE_GTID = slave_pos; START SLAVE`);

  return {
    replicas,

    /** From now on a commit succeeds only when a replica has it, also after a promotion. */
    async replicateSemiSynchronously() {
      const settings = "rpl_semi_sync_master_timeout = 600000, GLOBAL rpl_semi_sync_master_wait_point = AFTER_SYNC";
      for (const { sql } of replicas)
        await sql(
          `SET GLOBAL ${settings}, GLOBAL rpl_semi_sync_slave_enabled = ON; STOP SLAVE IO_THREAD; START SLAVE IO_THREAD`,
        );
      await operator.sql(`SET GLOBAL ${settings}, GLOBAL rpl_semi_sync_master_enabled = ON`);
    },

    /** Promotes the replica that has most, and lets the others follow it. */
    async promoteAfterDeath() {
      const positions = await Promise.all(replicas.map(positionWhenApplied));
      const most = Math.max(...positions);
      const promoted = replicas[positions.indexOf(most)] ?? expect.fail("there is no replica");
      await promoted.sql(promote);
      await Promise.all(replicas.filter((one) => one !== promoted).map((one) => follow(one, promoted)));
      return promoted;
    },

    /** A planned switch to another replica, which the first one then follows. Nothing is written meanwhile. */
    async switchOver(from: DatabaseReplica, to: DatabaseReplica) {
      await from.sql("SET GLOBAL read_only = ON");
      const position = await from.sql("SELECT @@GLOBAL.gtid_binlog_pos");
      expect(await to.sql(`SELECT MASTER_GTID_WAIT('${position}', 60)`)).toBe("0");
      await to.sql(promote);
      const demote =
        "SET GLOBAL rpl_semi_sync_master_enabled = OFF; SET GLOBAL gtid_slave_pos = @@GLOBAL.gtid_binlog_pos";
      await from.sql(demote);
      await follow(from, to);
    },
  };
}

const promote = "STOP SLAVE; RESET SLAVE; SET GLOBAL rpl_semi_sync_master_enabled = ON, GLOBAL read_only = OFF";

/** The position of a replica when it has applied all that it has received. */
async function positionWhenApplied({ sql }: DatabaseReplica): Promise<number> {
  // Not connected, and nothing left to apply.
  const applied = /\t(No|Connecting)\tYes\t.*has read all relay log/s;
  await vi.waitFor(async () => expect(await sql("SHOW SLAVE STATUS")).toMatch(applied), 60_000);
  // Domain, server and sequence, such as 0-1-57.
  return Number((await sql("SELECT @@GLOBAL.gtid_slave_pos")).split("-").at(-1));
}

/** A name of the write endpoint that can move to another server, as a DNS name does. The apps do not notice. */
export async function openWriteName() {
  const [namePort = 0] = await freePorts(1);
  let proxy: TcpProxy | undefined;
  atEnd(() => proxy?.close());

  async function moveTo(port: number): Promise<void> {
    await proxy?.close();
    proxy = await openTcpProxy(`tcp://127.0.0.1:${port}`, { port: namePort });
  }
  const named = (addresses: Addresses): Addresses => {
    const url = new URL(addresses.databaseWriteUrl);
    url.port = String(namePort);
    return { ...addresses, databaseWriteUrl: url.href };
  };
  return {
    moveTo,
    /** Lets the apps find the primary by the name; for `startSystemWithServers`. */
    async readdress(services: PrivateServices) {
      await moveTo(Number(new URL(services.addresses.databaseWriteUrl).port));
      const accounts = accountsOf((role) => named(services.accounts[role]));
      return { ...services, addresses: named(services.addresses), accounts };
    },
  };
}

/** A node of the system's Redis Cluster, and a connection of the administrator to it alone. */
interface RedisNode {
  readonly server: Server;
  readonly redis: Redis;
  readonly id: string;
}

/** The nodes of a Redis Cluster, as an operator sees them. */
export async function openRedisNodes(system: Pick<System, "services" | "addresses">) {
  const { username, password } = new URL(system.addresses.redisUrl.split(",")[0] ?? "");
  const servers = system.services.servers.filter(({ name }) => name.startsWith("redis-"));
  const all = await Promise.all(
    servers.map(async (server): Promise<RedisNode> => {
      const options = { port: server.port, username, password, maxRetriesPerRequest: 1 };
      const redis = new Redis({ ...options, retryStrategy: () => 200 });
      redis.on("error", () => undefined); // killed by the test
      atEnd(() => redis.disconnect());
      return { server, redis, id: await redis.cluster("MYID") };
    }),
  );
  const running = (): RedisNode => all.find(({ server }) => server.pid !== undefined) ?? expect.fail("no node runs");
  const slotOf = (key: string): Promise<number> => running().redis.cluster("KEYSLOT", key);
  /** The nodes that serve a key now, as another node says: the master, then its replicas. */
  async function nodesOf(key: string): Promise<readonly [RedisNode, ...RedisNode[]]> {
    const [slot, ranges] = [await slotOf(key), await running().redis.cluster("SLOTS")];
    const [, , ...nodes] = ranges.find(([first, last]) => first <= slot && slot <= last) ?? [0, 0];
    const [master, ...replicas] = nodes.flatMap(([, port]) => all.filter(({ server }) => server.port === port));
    return [master ?? expect.fail(`no master serves ${key}`), ...replicas];
  }

  return {
    all,
    slotOf,

    masterOf: async (key: string) => (await nodesOf(key))[0],

    /** From now on the replica of a key's master gets nothing more from it. Returns the master. */
    async cutOff(key: string) {
      const [master, replica = expect.fail("it has no replica")] = await nodesOf(key);
      await replica.redis.config("SET", "masterauth", "wrong");
      await master.redis.call("CLIENT", ["KILL", "TYPE", "replica"]);
      return master;
    },

    /** Starts a killed node again. Resolves when it is a complete replica. */
    async restart({ server, redis }: RedisNode) {
      await server.start();
      await vi.waitFor(async () => expect(await redis.info("replication")).toContain("master_link_status:up"), 60_000);
    },

    /** Moves a slot with its keys, some at a time; waits for `midway` when half have moved. Returns their number. */
    moveSlot: (slot: number, from: RedisNode, to: RedisNode, midway: () => Promise<unknown>) =>
      moveSlot(slot, from, to, { credentials: ["AUTH2", username, password], midway }),
  };
}

async function moveSlot(
  slot: number,
  from: RedisNode,
  to: RedisNode,
  { credentials, midway }: { readonly credentials: readonly string[]; readonly midway: () => Promise<unknown> },
): Promise<number> {
  const half = (await from.redis.cluster("COUNTKEYSINSLOT", slot)) / 2;
  let waited = false;
  await to.redis.cluster("SETSLOT", slot, "IMPORTING", from.id);
  await from.redis.cluster("SETSLOT", slot, "MIGRATING", to.id);
  let moved = 0;
  for (;;) {
    // As bytes: the keys of the gateways' key memory are no text.
    const keys: unknown = await from.redis.callBuffer("CLUSTER", ["GETKEYSINSLOT", slot, 5]);
    if (!Array.isArray(keys) || keys.length === 0) break;
    const account = [...credentials, "KEYS", ...keys];
    await from.redis.call("MIGRATE", ["127.0.0.1", String(to.server.port), "", "0", "5000", ...account]);
    moved += keys.length;
    if (moved >= half && !waited) {
      waited = true;
      await midway();
    }
    await delay(20); // so that commands meet a slot of which each node has a part
  }
  await to.redis.cluster("SETSLOT", slot, "NODE", to.id);
  await from.redis.cluster("SETSLOT", slot, "NODE", to.id);
  return moved;
}
