import { randomBytes } from "node:crypto";
import type { QueueSpec } from "@tally/contract";
import { connect, type Channel } from "amqplib";
import { expect, inject, onTestFinished, test, vi } from "vitest";
import { declareQueues, declareTopics } from "./declare-queues.ts";
import { body, openConsumer, openPublisher } from "./own-broker.test-kit.ts";

const { amqpUrl: administrator, accounts } = inject("services");
type Name = "ingest" | "rank" | "dead";

/** The queues of a domain in a unique namespace; `declared` false: not created yet. They are deleted at the end. */
async function ownQueues({ declared = true } = {}) {
  const namespace = `t${randomBytes(6).toString("hex")}`;
  const name = (queue: Name): string => `${namespace}.${queue}.test`;
  const exchange = `${namespace}.ingest`;
  const ingest: QueueSpec = { name: name("ingest"), exchange, messagesMax: 100, deadLetterTo: name("dead") };
  const queues: readonly QueueSpec[] = [ingest, { name: name("rank") }, { name: name("dead") }];
  const connection = await connect(administrator);
  const channel = await connection.createChannel();
  onTestFinished(async () => {
    for (const queue of queues) await channel.deleteQueue(queue.name);
    await channel.deleteExchange(exchange);
    await connection.close();
  });
  const declare = () => declareQueues(connection, queues);
  if (declared) await declare();
  return { name, exchange, queues, channel, declare };
}

/** The result of an operation with an account: "done", or the code of the broker's error. */
async function resultOf(url: string, operation: (channel: Channel) => Promise<unknown>): Promise<unknown> {
  const connection = await connect(url);
  connection.on("error", () => undefined);
  const channel = await connection.createConfirmChannel();
  const refused = new Promise<unknown>((resolve) => {
    channel.on("error", (error: unknown) => resolve(error instanceof Error ? Reflect.get(error, "code") : error));
  });
  const done = operation(channel)
    .then(() => channel.waitForConfirms())
    .then(() => "done")
    .catch(() => refused);
  try {
    return await Promise.race([done, refused]);
  } finally {
    await connection.close().catch(() => undefined);
  }
}

const send = (exchange: string, key: string) => async (channel: Channel) => channel.publish(exchange, key, body);

/** Operations that an account must not do. */
async function expectRefused(url: string, operations: readonly ((channel: Channel) => Promise<unknown>)[]) {
  for (const operation of operations)
    expect([operation.toString(), await resultOf(url, operation)]).toEqual([operation.toString(), 403]);
}

test("a gateway's account can publish events and read depths, and nothing else", async () => {
  const { name, exchange } = await ownQueues();
  const { amqpUrl } = accounts.gateway;
  const [ingest, rank] = [name("ingest"), name("rank")];
  expect(await resultOf(amqpUrl, send(exchange, ingest))).toBe("done");
  expect(await resultOf(amqpUrl, (channel) => channel.checkQueue(rank))).toBe("done");
  await expectRefused(amqpUrl, [
    send("", rank), // would change rankings
    send("", ingest),
    (channel) => channel.get(ingest),
    (channel) => channel.consume(rank, () => undefined),
    (channel) => channel.purgeQueue(ingest),
    (channel) => channel.deleteQueue(ingest),
    (channel) => channel.deleteExchange(exchange),
    (channel) => channel.bindQueue(rank, exchange, rank),
    (channel) => channel.assertQueue(`${ingest}.other`),
  ]);
});

test("a ranker's account can consume the rank queues and publish alerts, and nothing else", async () => {
  const { name, exchange } = await ownQueues();
  const { amqpUrl } = accounts.ranker;
  expect(await resultOf(amqpUrl, (channel) => channel.get(name("rank")))).toBe("done");
  await expectRefused(amqpUrl, [
    send("", name("rank")),
    send(exchange, name("ingest")),
    (channel) => channel.get(name("ingest")),
    (channel) => channel.deleteQueue(name("rank")),
  ]);
});

test("only the accounts of a writer and a ranker can publish changes, and they cannot read them", async () => {
  const exchange = `t${randomBytes(6).toString("hex")}.purchases`;
  for (const { amqpUrl } of [accounts.writer, accounts.ranker]) {
    const connection = await connect(amqpUrl);
    await declareTopics(connection, [exchange]);
    await connection.close();
    expect(await resultOf(amqpUrl, send(exchange, "batch.v1"))).toBe("done");
    await expectRefused(amqpUrl, [(channel) => channel.assertQueue(`${exchange}.feed.own`)]);
  }
  for (const { amqpUrl } of [accounts.gateway, accounts.maintenance])
    await expectRefused(amqpUrl, [send(exchange, "batch.v1"), (channel) => channel.deleteExchange(exchange)]);
});

test("a writer's account can use no queues but those of tally", async () => {
  const other = `other-${randomBytes(4).toString("hex")}`;
  await expectRefused(accounts.writer.amqpUrl, [
    (channel) => channel.assertQueue(other),
    (channel) => channel.assertExchange(other, "fanout"),
  ]);
});

test("the broker rejects other passwords", async () => {
  for (const user of ["guest:guest", "tally:tally", "tally_gateway:tally", "tally_gateway:"])
    await expect(connect(administrator.replace(/\/\/.*@/, `//${user}@`))).rejects.toThrow(/403|ACCESS.REFUSED/i);
});

test("accounts that may not declare queues wait until another app has declared them", async () => {
  const { name, queues, declare, channel } = await ownQueues({ declared: false });
  const { publisher, log } = openPublisher(accounts.gateway.amqpUrl, queues);
  const rank = queues.find((queue) => queue.name === name("rank")) ?? { name: "" };
  const { consumer, log: consumerLog, arrived, ids } = openConsumer(accounts.ranker.amqpUrl, rank, { more: queues });
  const waiting = /cannot connect to the broker; retrying: waiting for an app that may declare queues.*NOT_FOUND/;
  for (const { lines } of [log, consumerLog]) await vi.waitFor(() => expect(lines.join("\n")).toMatch(waiting), 30_000);
  await declare();
  await Promise.all([publisher.ready, consumer.ready]);
  expect(await publisher.publish({ queue: name("ingest"), messageId: "m", body })).toBe("confirmed");
  expect(await publisher.publish({ queue: name("ingest"), messageId: "m", body })).toBe("confirmed");
  // The broker says 0 of a queue that does not respond to it within 250 ms.
  await expect.poll(async () => (await channel.checkQueue(name("ingest"))).messageCount).toBe(2);
  channel.sendToQueue(name("rank"), body, { messageId: "r" });
  await arrived(1);
  expect(ids()).toEqual(["r"]);
});
