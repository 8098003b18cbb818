import { readFile } from "node:fs/promises";
import { addressVariables, type Server } from "@tally/local";
import { connectRankings } from "@tally/redis";
import { silentLog } from "@tally/runtime";
import type { Status } from "@tally/telemetry";
import { expect, onTestFinished, test, vi } from "vitest";
import { atEnd } from "@tally/local/at-end";
import { balance, openStream } from "./kit/fronts.ts";
import { openDatabaseNodes, openRedisNodes, openWriteName } from "./kit/nodes.ts";
import { startGateway } from "./kit/programs.ts";
import { keepSending, recoveryTimes, sell, sold, untilRanked } from "./kit/sales.ts";
import { openDatabase, startSystemWithServers } from "./kit/system.ts";
import { expectAllKept, runTally } from "./kit/tally.ts";

/*
 * A production-like system on one machine: three broker nodes, a Redis Cluster of three masters and three replicas, a
 * MariaDB primary with two semi-synchronous replicas, two gateways behind HAProxy, two writers, two rankers. Clients
 * send sales through the balancer from the first test to the last, and every acknowledged sale is looked for at the
 * end. The table of recovery times goes to docs/performance.md.
 */

const writeName = await openWriteName();
const system = await startSystemWithServers(
  { TRUST_PROXY: "127.0.0.1" },
  {
    brokers: 3,
    databaseReplicas: 2,
    redisCluster: { masters: 3, replicas: 1 },
    instances: { gateway: 2, writer: 2, ranker: 2 },
    readdress: (services) => writeName.readdress(services),
  },
);
const { operator } = system.services;
const databases = await openDatabaseNodes(system.services);
await databases.replicateSemiSynchronously();
const database = openDatabase(system);
const redis = await openRedisNodes(system);
const { url, server: balancer } = await balance({ gateways: system.urls });
const clients = keepSending([url], 8);
atEnd(() => clients.stop());

/** Event ids of sales besides those of the clients. */
const others = new Set<string>();
const times: Record<string, Record<string, number>> = {};
const shards = [0, 1, 2, 3].map((shard) => `${system.namespace}:{purchases:${shard}:v2}`);

/** Measures how long a sale takes that is sent right after `proceed` was called, while it runs. */
async function during(fault: string, proceed: () => Promise<unknown>): Promise<void> {
  await clients.more();
  clients.takeLongestGapMs();
  const [, { id, ...recovery }] = await Promise.all([proceed(), recoveryTimes(url, database)]);
  await clients.more();
  others.add(id);
  times[fault] = { ...recovery, withoutAny201Ms: Math.round(clients.takeLongestGapMs()) };
}

function killAndStart(server: Pick<Server, "kill" | "start">): Promise<void> {
  server.kill("SIGKILL");
  return server.start();
}

const ask = (...args: readonly string[]) => operator.rabbitmqctl(...args, "--quiet");

/** The node that leads the ingest queue: its name ends in its number. */
async function leaderOfIngest(): Promise<Server> {
  const [, number] = /\.ingest\.purchases\s+\S+-(\d)@/.exec(await ask("list_queues", "name", "leader")) ?? [];
  return system.server(`rabbitmq-${number}`);
}

async function nodeOfGateway(): Promise<Server> {
  const connections = await ask("list_connections", "port", "client_properties");
  const [, port] = /^(\d+)\t.*"tally gateway"/m.exec(connections) ?? [];
  const node = system.services.servers.find((one) => one.port === Number(port));
  return node ?? expect.fail(`no node serves port ${port}`);
}

test("each queue is on three nodes; the leader is killed, then the node of a gateway", async () => {
  const queues = (await ask("list_queues", "name", "members")).split("\n");
  const members = queues.filter((line) => line.startsWith(system.namespace));
  expect(members.map((line) => line.match(/@localhost/g)?.length)).toEqual(members.map(() => 3));
  expect(members.length).toBeGreaterThanOrEqual(3); // ingest, rank, dead
  for (const [fault, find] of [
    ["leader of the queues killed", leaderOfIngest],
    ["a gateway's broker node killed", nodeOfGateway],
  ] as const) {
    const node = await find();
    await during(fault, () => killAndStart(node));
  }
});

test("the balancer is killed and started again", async () => {
  await during("balancer killed", () => killAndStart(balancer));
});

test("one shard of the rankings becomes four", async () => {
  await during("1 shard becomes 4", async () => {
    const { exitCode, output } = await runTally(system, ["rebuild", "--shards", "4"]);
    const done = expect.stringMatching(/^purchases: .* in 4 shards, /);
    expect({ exitCode, output }).toEqual({ exitCode: 0, output: done });
  });
  const masters = await Promise.all(shards.map((shard) => redis.masterOf(shard)));
  expect(new Set(masters).size).toBeGreaterThan(1);
  for (const [shard, master] of masters.entries())
    expect(await master.redis.get(`${shards[shard]}:generation`)).toMatch(/x4$/);
});

test("status and stream show rankings of every shard, each master and every process", async () => {
  const boards = Array.from({ length: 7 }, (_, store) => `/stores/${store}/top-items`);
  const stream = await openStream(system.url, ["/status", ...boards]);
  const masters = redis.all.slice(0, 3).map(({ server }) => `127.0.0.1:${server.port} up`);
  await vi.waitFor(() => {
    for (const watch of boards.keys()) expect(stream.latest(watch + 1)).toMatchObject({ status: 200 });
    const { body } = stream.latest(0) ?? expect.fail("no status");
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the response of /status
    const { servers, processes } = body as Status;
    const nodes = servers.filter(({ name }) => name === "redis").map(({ node, state }) => `${node} ${state}`);
    expect(nodes.toSorted()).toEqual(masters.toSorted());
    const apps = ["gateway", "gateway", "ranker", "ranker", "writer", "writer"];
    expect(processes.map(({ app, state }) => `${app} ${state}`).toSorted()).toEqual(apps.map((app) => `${app} up`));
  }, 60_000);
  stream.close();
  // A master that responds after half a second is down.
  await vi.waitFor(async () => {
    const { output } = await runTally(system, ["status"]);
    for (const master of masters) expect(output).toContain(`redis ${master}`);
  }, 60_000);
});

test("gateways limit rates through the cluster", async () => {
  const limits = { RATE_LIMIT_PER_ADDRESS: "1", RATE_LIMIT_PER_ADDRESS_BURST: "5" };
  const settings = { ...addressVariables(system.accounts.gateway), ...limits, AUTH: "off" };
  const gateways = [await startGateway(system, settings), await startGateway(system, settings)];
  const send = async (n: number) => {
    const response = await sell(gateways[n % 2]?.url ?? "", 3);
    const id = response.headers.get("tally-event-id");
    if (id !== null) others.add(id);
    return response;
  };
  // The first requests connect the gateways with the cluster. Until it responds, they are not limited.
  const firstLimited = (n: number) =>
    vi.waitFor(async () => {
      const response = await send(n);
      expect(response.headers.has("ratelimit")).toBe(true);
      return response;
    }, 30_000);
  const first = [await firstLimited(0), await firstLimited(1)];
  const all = [...first, ...(await Promise.all(Array.from({ length: 28 }, (_, n) => send(n))))];
  // A response without the header was not checked: Redis did not reply in time.
  const limited = all.filter(({ headers }) => headers.has("ratelimit"));
  expect(new Set(limited.map(({ status }) => status))).toEqual(new Set([201, 429]));
  const accepted = [all, limited].map((some) => some.filter(({ status }) => status === 201).length);
  // One more each second, on a machine that may be busy.
  expect(accepted[0]).toBeGreaterThanOrEqual(5);
  expect(accepted[1]).toBeLessThan(20);
});

test("two slots move to another master; while they do, all boards are found on both masters", async () => {
  const { namespace, addresses } = system;
  const shared = { url: addresses.redisUrl, namespace, shards: 4, domains: [], log: silentLog };
  const rankings = connectRankings(shared);
  onTestFinished(() => rankings.close());
  const boards = async () => {
    const found = new Set<string>();
    for await (const names of rankings.boards("purchases")) for (const name of names) found.add(name);
    return found;
  };
  const move = async (shard: string): Promise<void> => {
    const [slot, from, all] = [await redis.slotOf(shard), await redis.masterOf(shard), await boards()];
    const to = redis.all.slice(0, 3).find((one) => one !== from) ?? expect.fail("one master");
    const keysOf = ({ redis: node }: typeof from) => node.cluster("COUNTKEYSINSLOT", slot);
    const moved = await redis.moveSlot(slot, from, to, async () => {
      expect(Math.min(await keysOf(from), await keysOf(to))).toBeGreaterThan(5);
      expect(await boards()).toEqual(all);
    });
    expect(moved).toBeGreaterThan(10);
    expect(await redis.masterOf(shard)).toBe(to);
    expect(await boards()).toEqual(all);
  };
  await during("two slots of the rankings move", async () => {
    for (const shard of shards.slice(0, 2)) await move(shard);
  });
});

test("a Redis master is killed while its replica lacks sales: they are ranked again from the ledger", async () => {
  const [, , shard = ""] = shards;
  const killed = await redis.cutOff(shard);
  const id = await sold(url, 2, { headers: { "idempotency-key": "ranked-and-lost" } });
  others.add(id);
  await untilRanked(url, id);
  await during("a Redis master killed", async () => {
    killed.server.kill("SIGKILL");
    const killedAt = performance.now();
    await untilRanked(url, id);
    times["a Redis master killed: a sale that it alone had"] = { rankedMs: Math.round(performance.now() - killedAt) };
  });
  expect(await redis.masterOf(shard)).not.toBe(killed);
  await vi.waitFor(async () => {
    const logs = await Promise.all(system.rankers.map(({ logFile }) => readFile(logFile, "utf8")));
    expect(logs.join("")).toContain("auditor: ranked batches from the ledger");
  }, 60_000);
  await redis.restart(killed);
});

test("the primary is killed while it reaches no replica; a promotion, and a planned switchover", async () => {
  // What the clients send from now on is accepted and not stored.
  for (const { sql } of databases.replicas) await sql("STOP SLAVE IO_THREAD");
  let promoted = databases.replicas[0];
  await during("primary killed, a replica promoted", async () => {
    system.server("database-primary").kill("SIGKILL");
    promoted = await databases.promoteAfterDeath();
    await writeName.moveTo(promoted.port);
  });
  const [from, to] = [promoted, databases.replicas.find((one) => one !== promoted)];
  if (from === undefined || to === undefined) expect.fail("there are two replicas");
  await during("planned switchover to the other replica", async () => {
    await databases.switchOver(from, to);
    await writeName.moveTo(to.port);
  });
});

test("every acknowledged sale is stored once and ranked once, and no other is", async () => {
  const { ids } = await clients.stop();
  console.table(times);
  await expectAllKept(system, new Set([...ids.values(), ...others]));
});
