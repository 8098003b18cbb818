import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { silentLog } from "@tally/runtime";
import { addressVariables } from "@tally/local";
import { connectRankings } from "@tally/redis";
import type { Status } from "@tally/telemetry";
import { expect, onTestFinished, test, vi } from "vitest";
import { openStream } from "./kit/fronts.ts";
import { openRedisNodes } from "./kit/nodes.ts";
import { startGateway } from "./kit/programs.ts";
import { keepSending, sell } from "./kit/sales.ts";
import { startSystemWithServers } from "./kit/system.ts";
import { expectAllKept, runTally } from "./kit/tally.ts";

/*
 * Gateways, writer and ranker on a Redis Cluster of three masters, each with a replica. The rankings of a domain have
 * four shards. whole-system.long.test.ts changes their number, and kills a master.
 */

const system = await startSystemWithServers(
  { RANKING_SHARDS: "4" },
  { redisCluster: { masters: 3, replicas: 1 }, instances: { gateway: 2 } },
);
const nodes = await openRedisNodes(system);
const ids = new Set<string>();
const shardOf = (shard: number) => `${system.namespace}:{purchases:${shard}:v2}`;

/** Sends sales while something happens. */
async function whileSending(happens: () => Promise<void>): Promise<void> {
  const clients = keepSending(system.urls, 20);
  const flows = async () => {
    const before = clients.count;
    await vi.waitFor(() => expect(clients.count).toBeGreaterThan(before + 300), 60_000);
  };
  try {
    await flows();
    await happens();
    await flows();
  } finally {
    const sent = await clients.stop();
    for (const id of sent.ids.values()) ids.add(id);
  }
}

test("the page's routes and the command show rankings of every shard, each master and every process", async () => {
  const boards = Array.from({ length: 7 }, (_, store) => `/stores/${store}/top-items`);
  const stream = await openStream(system.url, ["/status", ...boards]);
  await vi.waitFor(() => {
    for (const watch of boards.keys()) expect(stream.latest(watch + 1)).toMatchObject({ status: 200 });
    const { body } = stream.latest(0) ?? expect.fail("no status");
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the response of /status
    const { servers, processes, problems } = body as Status;
    expect(problems).toEqual([]);
    const redis = servers.filter(({ name }) => name === "redis");
    expect(new Set(redis.map(({ node, state }) => `${node} ${state}`))).toEqual(
      new Set(nodes.all.slice(0, 3).map(({ server }) => `127.0.0.1:${server.port} up`)),
    );
    expect(processes.map(({ app, state }) => `${app} ${state}`).toSorted()).toEqual([
      "gateway up",
      "gateway up",
      "ranker up",
      "writer up",
    ]);
  }, 20_000);
  stream.close();
  const { output } = await runTally(system, ["status"]);
  for (const { server } of nodes.all.slice(0, 3)) expect(output).toContain(`redis 127.0.0.1:${server.port} up`);
}, 60_000);

test("gateways limit rates through the cluster", async () => {
  const limits = { RATE_LIMIT_PER_ADDRESS: "1", RATE_LIMIT_PER_ADDRESS_BURST: "5" };
  const settings = { ...addressVariables(system.accounts.gateway), ...limits, AUTH: "off" };
  const gateways = [await startGateway(system, settings), await startGateway(system, settings)];
  const responses = await Promise.all(Array.from({ length: 30 }, (_, n) => sell(gateways[n % 2]?.url ?? "", 3)));
  for (const { headers } of responses) {
    const id = headers.get("tally-event-id");
    if (id !== null) ids.add(id);
  }
  const accepted = responses.filter(({ status }) => status === 201).length;
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201, 429]));
  // One more each second, on a machine that may be busy.
  expect(accepted).toBeGreaterThanOrEqual(5);
  expect(accepted).toBeLessThan(20);
}, 60_000);

test("slots that move to another master under load lose and double nothing", async () => {
  await whileSending(async () => {
    for (const shard of [0, 1]) {
      const slot = await nodes.slotOf(shardOf(shard));
      const from = await nodes.masterOf(shardOf(shard));
      const to = nodes.all.slice(0, 3).find((one) => one !== from) ?? expect.fail("one master");
      expect(await nodes.moveSlot(slot, from, to)).toBeGreaterThan(10);
      expect(await nodes.masterOf(shardOf(shard))).toBe(to);
    }
  });
  await expectAllKept(system, ids);
}, 120_000);

test("while a slot moves, all boards are found, on both masters", async () => {
  const rankings = connectRankings({
    url: system.addresses.redisUrl,
    namespace: system.namespace,
    shards: 4,
    domains: [],
    log: silentLog,
  });
  onTestFinished(() => rankings.close());
  const boards = async () => {
    const found = new Set<string>();
    for await (const names of rankings.boards("purchases")) for (const name of names) found.add(name);
    return found;
  };
  const all = await boards();
  const slot = await nodes.slotOf(shardOf(2));
  const from = await nodes.masterOf(shardOf(2));
  const to = nodes.all.slice(0, 3).find((one) => one !== from) ?? expect.fail("one master");
  const keysOf = ({ redis }: typeof from) => redis.cluster("COUNTKEYSINSLOT", slot);
  await nodes.moveSlot(slot, from, to, async () => {
    expect(Math.min(await keysOf(from), await keysOf(to))).toBeGreaterThan(5);
    expect(await boards()).toEqual(all);
  });
  expect(await boards()).toEqual(all);
}, 120_000);

async function moveShard(shard: number, to: (typeof nodes.all)[number]): Promise<void> {
  const from = await nodes.masterOf(shardOf(shard));
  if (from !== to) await nodes.moveSlot(await nodes.slotOf(shardOf(shard)), from, to);
}

test("a master is killed between the switches of a change of shards: the ranker rebuilds the rankings", async () => {
  const first = await nodes.masterOf(shardOf(0));
  const killed = nodes.all.slice(0, 3).find((one) => one !== first) ?? expect.fail("one master");
  // Shard 1 is switched, shard 2 is not, and neither is the first shard, which is always the last.
  await moveShard(1, first);
  await moveShard(2, killed);
  const rebuildsOfRanker = async () => {
    const log = await readFile(system.server("ranker").logFile, "utf8");
    return log.split("\n").filter((line) => line.includes("auditor:"));
  };
  await whileSending(async () => {
    await nodes.cutOff(killed);
    const { exitCode, errors } = await runTally(system, ["rebuild", "--domain", "purchases", "--shards", "8"], {
      NODE_OPTIONS: `--import=${join(import.meta.dirname, "kill-at-switch.fixture.ts")}`,
      KILLED_SHARD: shardOf(2),
      KILLED_PID: String(killed.server.pid),
    });
    expect({ exitCode, errors }).toEqual({ exitCode: 1, errors: expect.stringContaining("Redis lost") });
    const reason = "a change of the number of shards was interrupted";
    await vi.waitFor(async () => expect((await rebuildsOfRanker()).join("\n")).toContain(reason), 60_000);
  });
  expect(await nodes.masterOf(shardOf(2))).not.toBe(killed);
  await nodes.restart(killed);
  await expectAllKept(system, ids);
}, 300_000);
