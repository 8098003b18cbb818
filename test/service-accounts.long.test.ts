import { silentLog } from "@tally/runtime";
import type { Role } from "@tally/local";
import { domains } from "@tally/domains";
import { connectRankings } from "@tally/redis";
import { Redis } from "ioredis";
import { expect, inject, onTestFinished, test, vi } from "vitest";
import { sold } from "./kit/sales.ts";
import { openDatabase, startSystem } from "./kit/system.ts";
import { expectEnd, runTally } from "./kit/tally.ts";

// packages/broker tests the accounts of the broker. What accounts may do, every test shows: the apps use them.
const system = await startSystem();
await sold(system.url, 1, { item: 7, quantity: 3 });

const shard = `${system.namespace}:{purchases:0:v2}`;

function redisOf(url: string): Redis {
  const redis = new Redis(url, { maxRetriesPerRequest: 0, retryStrategy: () => null });
  redis.on("error", () => undefined); // rejects the command too
  onTestFinished(() => redis.disconnect());
  return redis;
}

const privilegeErrnos = [1044, 1045, 1142, 1227];
const statements = {
  read: "SELECT COUNT(*) FROM purchases",
  insert: "INSERT INTO dead_letters (id) VALUES ('x')",
  update: "UPDATE batches SET events = events + 1 WHERE producer = 'x'",
  delete: "DELETE FROM purchases WHERE id = 'x'",
  create: "CREATE TABLE own (id INT)",
  alter: "ALTER TABLE purchases ADD COLUMN own INT",
  drop: "DROP TABLE purchases",
  truncate: "TRUNCATE TABLE batches",
  grant: "GRANT SELECT ON *.* TO tally_gateway@'127.0.0.1'",
  accounts: "SELECT * FROM mysql.user",
  file: "SELECT 'x' INTO OUTFILE '/tmp/tally-never'",
} as const;
type Right = keyof typeof statements;

const rightsOf: readonly (readonly [Role, readonly Right[]])[] = [
  ["gateway", ["read"]],
  ["ranker", ["read", "insert", "update", "delete"]],
  ["writer", ["read", "insert", "update"]],
  ["maintenance", ["read", "insert", "update", "delete"]],
];

test.each(rightsOf)("the database lets %s do only this: %s", async (role, rights) => {
  const database = openDatabase({ addresses: system.accounts[role] });
  const permitted: string[] = [];
  for (const [right, sql] of Object.entries(statements)) {
    // Rolled back: only the privilege matters.
    const failure: unknown = await database
      .transaction(async (tx) => {
        await tx.query(sql);
        throw new Error("done");
      })
      .catch((error: unknown) => error);
    const errno: unknown = failure instanceof Error ? Reflect.get(failure, "errno") : undefined;
    if (!privilegeErrnos.some((one) => one === errno)) permitted.push(right);
  }
  expect(permitted).toEqual(rights);
});

test("the gateway's account reads the rankings and cannot change them", async () => {
  await vi.waitFor(async () => {
    const response = await fetch(`${system.url}/items/store/1`);
    expect(await response.text()).toBe('{"stores":[{"itemID":7,"numberOfItems":3}]}');
  }, 30_000);
  const { namespace } = system;
  const rankings = connectRankings({
    url: system.accounts.gateway.redisUrl,
    namespace,
    shards: 1,
    domains,
    commandTimeoutMs: 5000,
    log: silentLog,
  });
  onTestFinished(() => rankings.close());
  // Until they are built, the gateway counts rows.
  await vi.waitFor(async () => expect(await rankings.count("purchases", "store:1", "7")).toBe(3), 30_000);
  const moves = {
    version: 2 as const,
    batch: { producer: "forged", sequence: 1 },
    storedAt: Date.now(),
    shards: [Buffer.from([0x90])],
  };
  await expect(rankings.rank("purchases", moves)).rejects.toThrow(/NOPERM|can't access|No permissions/);
  await expect(rankings.noteChecked("purchases", "x", 1)).rejects.toThrow(/NOPERM/);
  await expect(rankings.build("purchases")).rejects.toThrow(/NOPERM|can't access|No permissions/);

  const redis = redisOf(system.accounts.gateway.redisUrl);
  const [board = ""] = (await redisOf(system.addresses.redisUrl).keys(`${shard}:*:b:store:1`)).values();
  expect(board).not.toBe("");
  for (const forged of [
    () => redis.zadd(board, -1000, "x"),
    () => redis.del(board),
    () => redis.set(`${shard}:generation`, "9"),
    () => redis.rename(`${namespace}:idem:x`, board),
    () => redis.eval("return redis.call('ZADD', KEYS[1] .. ARGV[1], -9, 'x')", 1, shard, board.slice(shard.length)),
    () => redis.eval("return redis.call('ZADD', ARGV[1], -9, 'x')", 0, board),
    () => redis.eval("return redis.call('DEL', ARGV[1])", 1, `${namespace}:idem:x`, board),
    () => redis.flushall(),
    () => redis.keys("*"),
    () => redis.config("GET", "dir"),
    () => redis.call("ACL", "LIST"),
    () => redis.script("FLUSH"),
    () => redis.set(`${namespace}:other`, "1"),
  ]) {
    const reply = await forged().catch((error: unknown) => String(error));
    expect([forged.toString(), reply]).toEqual([
      forged.toString(),
      expect.stringMatching(/NOPERM|can't access|No permissions/),
    ]);
  }
  expect(await rankings.count("purchases", "store:1", "7")).toBe(3);
});

test("Redis accepts no client without a password", async () => {
  const { redisUrl } = inject("services");
  const { host } = new URL(redisUrl);
  for (const [url, refusal] of [
    [`redis://${host}`, /NOAUTH/],
    [`redis://:tally@${host}`, /WRONGPASS/],
    [`redis://tally_gateway:tally@${host}`, /WRONGPASS/],
  ] as const) {
    await expect(redisOf(url).get("x")).rejects.toThrow(refusal);
  }
});

test.each(["writer", "ranker"] as const)(
  "the %s's account sends heartbeats, and reaches nothing else",
  async (role) => {
    const redis = redisOf(system.accounts[role].redisUrl);
    const processes = `${system.namespace}:{status}:processes`;
    expect(await redis.pexpire(processes, 60_000)).toBe(1);
    for (const command of [
      () => redis.set(`${system.namespace}:idem:x`, "1"),
      () => redis.flushall(),
      () => redis.keys("*"),
      () => redis.config("GET", "dir"),
      () => redis.call("ACL", "LIST"),
      ...(role === "writer" ? [() => redis.del(processes), () => redis.hset(shard, "x", "1")] : []),
    ]) {
      await expect(command()).rejects.toThrow(/NOPERM/);
    }
  },
);

test("the maintenance account audits, repairs and rebuilds, and cannot change tables", async () => {
  const maintained = { namespace: system.namespace, addresses: system.accounts.maintenance };
  for (const [args, text] of [
    [["audit"], "acknowledged = stored = ranked"],
    [["repair"], "ranked 0 of them"],
    [["rebuild"], "cells from"],
    [["dead-letters", "list"], "no dead letters"],
  ] as const) {
    expectEnd(await runTally(maintained, args), 0, text);
  }
  const { databaseWriteUrl } = system.accounts.maintenance;
  const other = databaseWriteUrl.replace(/_test$/, "_other_test");
  const migrated = await runTally(maintained, ["migrate"], { DATABASE_WRITE_URL: other });
  expect(migrated.exitCode).not.toBe(0);
});
