import { setTimeout as delay } from "node:timers/promises";
import type { Server } from "@tally/local";
import { expect, test, vi } from "vitest";
import { expectAllKept } from "./audit-of.ts";
import { keepSending } from "./keep-sending.ts";
import { startSystemWithServers } from "./start-system.ts";

const system = await startSystemWithServers({}, { brokers: 3, instances: { gateway: 2 } });

const ask = (...args: readonly string[]) => system.services.operator.rabbitmqctl(...args, "--quiet");

/** The node that leads the ingest queue: its name ends in its number. */
async function leader(): Promise<Server> {
  const [, number] = /\.ingest\.purchases\s+\S+-(\d)@/.exec(await ask("list_queues", "name", "leader")) ?? [];
  return system.server(`rabbitmq-${number}`);
}

/** The node that a gateway publishes to. */
async function nodeOfGateway(): Promise<Server> {
  const connections = await ask("list_connections", "port", "client_properties");
  const [, port] = /^(\d+)\t.*"tally gateway"/m.exec(connections) ?? [];
  const node = system.services.servers.find((one) => one.port === Number(port));
  return node ?? expect.fail(`no node serves port ${port}`);
}

test("three nodes: the leader of the queues is killed under load, then the node of a gateway; intake continues, nothing is lost or repeated", async () => {
  const queues = (await ask("list_queues", "name", "members")).split("\n");
  const members = queues.filter((line) => line.startsWith(system.namespace));
  expect(members.map((line) => line.match(/@localhost/g)?.length)).toEqual(members.map(() => 3));
  expect(members.length).toBeGreaterThanOrEqual(3); // ingest, rank, dead

  const clients = keepSending(system.urls, 30);
  await delay(2000);
  for (const nodeToKill of [leader, nodeOfGateway]) {
    const node = await nodeToKill();
    node.kill("SIGKILL");
    const before = clients.count;
    await vi.waitFor(() => expect(clients.count).toBeGreaterThan(before + 100), 30_000);
    await node.start();
    await delay(2000);
  }
  const { ids, longestGapMs } = await clients.stop();
  // Until another node leads the queues and the clients of the dead node have found the next one; its start takes longer.
  expect(longestGapMs).toBeLessThan(15_000);
  await expectAllKept(system, [...ids.values()]);
}, 240_000);
