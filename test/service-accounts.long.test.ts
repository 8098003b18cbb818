import { connectDatabase, type Database } from "@tally/database";
import type { Role } from "@tally/local";
import { connectRankings } from "@tally/rankings";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from "vitest";
import { runTally } from "./run-tally.ts";
import { sold } from "./sell.ts";
import { startSystem, type TestSystem } from "./start-system.ts";

let system: TestSystem;

// packages/messaging tests the accounts of the broker.
beforeAll(async () => {
  system = await startSystem({ RATE_LIMIT_PER_ADDRESS: "20", RATE_LIMIT_PER_ADDRESS_BURST: "200" });
  await sold(system.url, 1, { item: 7, quantity: 3 });
});
afterAll(() => system.stop());

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

function databaseOf(role: Role): Database {
  const { databaseWriteUrl, databaseReadUrl } = system.accounts[role];
  const database = connectDatabase({
    writeUrl: databaseWriteUrl,
    readUrl: databaseReadUrl,
    writeConnections: 1,
    readConnections: 1,
    queryTimeoutMs: 20_000,
    log: silent,
  });
  onTestFinished(() => database.close());
  return database;
}

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
  ["ranker", ["read", "update"]],
  ["writer", ["read", "insert", "update"]],
  ["maintenance", ["read", "insert", "update", "delete"]],
];

test.each(rightsOf)("the database lets %s do only this: %s", async (role, rights) => {
  const database = databaseOf(role);
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
    const answer = await fetch(`${system.url}/items/store/1`);
    expect(await answer.text()).toBe('{"stores":[{"itemID":7,"numberOfItems":3}]}');
  }, 20_000);
  const { namespace } = system;
  const rankings = connectRankings({
    url: system.accounts.gateway.redisUrl,
    namespace,
    shards: 1,
    commandTimeoutMs: 5000,
    log: silent,
  });
  onTestFinished(() => rankings.close());
  expect(await rankings.count("purchases", "store:1", "7")).toBe(3);
  const moves = { batch: { producer: "forged", sequence: 1 }, storedAt: Date.now(), shards: [Buffer.from([0x90])] };
  await expect(rankings.apply("purchases", moves)).rejects.toThrow(/NOPERM|can't access|No permissions/);
  await expect(rankings.noteChecked("purchases", "x", 1)).rejects.toThrow(/NOPERM/);
  await expect(rankings.build("purchases")).rejects.toThrow(/NOPERM|can't access|No permissions/);

  const redis = redisOf(system.accounts.gateway.redisUrl);
  const shard = `${namespace}:{purchases:0}`;
  const [board = ""] = (await redisOf(system.addresses.redisUrl).keys(`${shard}:*:b:store:1`)).values();
  expect(board).not.toBe("");
  for (const forged of [
    () => redis.zadd(board, -1000, "x"),
    () => redis.del(board),
    () => redis.unlink(board),
    () => redis.set(`${shard}:generation`, "9"),
    () => redis.set(shard, "9"),
    () => redis.rename(`${namespace}:idem:x`, board),
    () => redis.eval("return redis.call('ZADD', KEYS[1] .. ARGV[1], -9, 'x')", 1, shard, board.slice(shard.length)),
    () => redis.eval("return redis.call('ZADD', ARGV[1], -9, 'x')", 0, board),
    () => redis.eval("return redis.call('DEL', ARGV[1])", 1, `${namespace}:idem:x`, board),
    () => redis.flushall(),
    () => redis.flushdb(),
    () => redis.keys("*"),
    () => redis.config("GET", "dir"),
    () => redis.call("ACL", "LIST"),
    () => redis.client("LIST"),
    () => redis.shutdown("NOSAVE"),
    () => redis.script("FLUSH"),
    () => redis.set(`${namespace}:other`, "1"),
  ]) {
    const answer = await forged().catch((error: unknown) => String(error));
    expect([forged.toString(), answer]).toEqual([
      forged.toString(),
      expect.stringMatching(/NOPERM|can't access|No permissions/),
    ]);
  }
  expect(await rankings.count("purchases", "store:1", "7")).toBe(3);
});

test("the gateway's account may write idempotency keys and rate limits", async () => {
  const redis = redisOf(system.accounts.gateway.redisUrl);
  for (const kind of ["idem", "rate"]) {
    const key = `${system.namespace}:${kind}:x`;
    expect(await redis.set(key, "1", "PX", 60_000, "NX")).toBe("OK");
    const count = "local n = redis.call('INCR', KEYS[1]) redis.call('PEXPIRE', KEYS[1], 60000) return n";
    expect(await redis.eval(count, 1, key)).toBe(2);
    expect(await redis.get(key)).toBe("2");
    expect(await redis.del(key)).toBe(1);
  }
});

test("Redis accepts no client without a password, and no writer", async () => {
  const { redisUrl } = inject("services");
  const { host } = new URL(redisUrl);
  for (const [url, refusal] of [
    [`redis://${host}`, /NOAUTH/],
    [`redis://:tally@${host}`, /WRONGPASS/],
    [`redis://tally_gateway:tally@${host}`, /WRONGPASS/],
    [system.accounts.writer.redisUrl, /WRONGPASS/],
  ] as const) {
    await expect(redisOf(url).get("x")).rejects.toThrow(refusal);
  }
});

test("the ranker's account reaches the keys of rankings only, and no administration", async () => {
  const redis = redisOf(system.accounts.ranker.redisUrl);
  for (const command of [
    () => redis.set(`${system.namespace}:idem:x`, "1"),
    () => redis.flushall(),
    () => redis.config("GET", "dir"),
    () => redis.call("ACL", "LIST"),
  ]) {
    await expect(command()).rejects.toThrow(/NOPERM/);
  }
});

test("the maintenance account audits, repairs and rebuilds, and cannot change tables", async () => {
  const maintained = { namespace: system.namespace, addresses: system.accounts.maintenance };
  for (const args of [["audit"], ["repair"], ["rebuild"], ["dead-letters", "list"]]) {
    const { exitCode, output, errors } = await runTally(maintained, args);
    expect({ args, exitCode, said: exitCode === 0 ? "" : output + errors }).toEqual({ args, exitCode: 0, said: "" });
  }
  const { databaseWriteUrl } = system.accounts.maintenance;
  const other = databaseWriteUrl.replace(/_test$/, "_other_test");
  const migrated = await runTally(maintained, ["migrate"], { DATABASE_WRITE_URL: other });
  expect(migrated.exitCode).not.toBe(0);
});

test("rate limits hold with the gateway's account", async () => {
  const [url = ""] = system.urls;
  const read = async () => (await fetch(`${url}/items/store/1`)).status;
  const statuses = await Promise.all(Array.from({ length: 600 }, read));
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
});
