import type { QueueSpec } from "@tally/pipeline";
import { randomBytes } from "node:crypto";
import { connect, type Channel } from "amqplib";
import { expect, inject, onTestFinished, test, vi } from "vitest";
import { connectConsumer } from "./connect-consumer.ts";
import { connectPublisher } from "./connect-publisher.ts";
import { declareQueues } from "./declare-queues.ts";
import { keptLog } from "./own-broker.test-kit.ts";

const { amqpUrl: administrator, accounts } = inject("services");
const body = Buffer.from("body");
type Name = "ingest" | "rank" | "dead";

/** Queues as a domain has them, in a namespace of the test's own; `declared` false: not made yet. They are deleted at the end. */
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

/** What the broker says to an operation of an account: "done", or the code of its refusal. */
async function answerTo(url: string, operation: (channel: Channel) => Promise<unknown>): Promise<unknown> {
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

test("a gateway's account may publish events and ask for depths, and nothing else", async () => {
  const { name, exchange } = await ownQueues();
  const { amqpUrl } = accounts.gateway;
  const ingest = name("ingest");
  expect(await answerTo(amqpUrl, send(exchange, ingest))).toBe("done");
  expect(await answerTo(amqpUrl, (channel) => channel.checkQueue(name("rank")))).toBe("done");

  for (const operation of [
    send("", name("rank")), // would change rankings
    send("", ingest),
    (channel: Channel) => channel.get(ingest),
    (channel: Channel) => channel.consume(name("rank"), () => undefined),
    (channel: Channel) => channel.purgeQueue(ingest),
    (channel: Channel) => channel.deleteQueue(ingest),
    (channel: Channel) => channel.deleteExchange(exchange),
    (channel: Channel) => channel.bindQueue(name("rank"), exchange, name("rank")),
    (channel: Channel) => channel.assertQueue(`${ingest}.other`),
  ]) {
    expect([operation.toString(), await answerTo(amqpUrl, operation)]).toEqual([operation.toString(), 403]);
  }
});

test("a ranker's account may consume rankings' queues, and nothing else", async () => {
  const { name, exchange } = await ownQueues();
  const { amqpUrl } = accounts.ranker;
  expect(await answerTo(amqpUrl, (channel) => channel.get(name("rank")))).toBe("done");
  for (const operation of [
    send("", name("rank")),
    send(exchange, name("ingest")),
    (channel: Channel) => channel.get(name("ingest")),
    (channel: Channel) => channel.deleteQueue(name("rank")),
  ]) {
    expect([operation.toString(), await answerTo(amqpUrl, operation)]).toEqual([operation.toString(), 403]);
  }
});

test("a writer's account reaches no queues but those of tally", async () => {
  const { amqpUrl } = accounts.writer;
  const other = `other-${randomBytes(4).toString("hex")}`;
  expect(await answerTo(amqpUrl, (channel) => channel.assertQueue(other))).toBe(403);
  expect(await answerTo(amqpUrl, (channel) => channel.assertExchange(other, "fanout"))).toBe(403);
});

test("without a password of this broker there is no connection", async () => {
  for (const user of ["guest:guest", "tally:tally", "tally_gateway:tally", "tally_gateway:"]) {
    await expect(connect(administrator.replace(/\/\/.*@/, `//${user}@`))).rejects.toThrow(/403|ACCESS.REFUSED/i);
  }
});

test("accounts that may not declare queues wait until one that may has made them", async () => {
  const { name, queues, declare, channel } = await ownQueues({ declared: false });
  const log = keptLog();
  const publisher = connectPublisher({ url: accounts.gateway.amqpUrl, connectionName: "test", queues, log });
  const delivered = Promise.withResolvers<string>();
  const consumer = connectConsumer({
    url: accounts.ranker.amqpUrl,
    connectionName: "test",
    queues,
    queue: name("rank"),
    prefetch: 1,
    onDelivery: ({ messageId }) => delivered.resolve(messageId),
    log,
  });
  onTestFinished(async () => {
    await consumer.close();
    await publisher.close();
  });
  await vi.waitFor(() =>
    expect(log.lines.join("\n")).toMatch(
      /not reached; trying on: waiting for an app that may declare queues.*NOT_FOUND/,
    ),
  );
  await declare();
  await Promise.all([publisher.ready, consumer.ready]);
  expect(await publisher.publish({ queue: name("ingest"), messageId: "m", body })).toBe("confirmed");
  expect(await publisher.publish({ queue: name("ingest"), messageId: "m", body })).toBe("confirmed");
  expect((await channel.checkQueue(name("ingest"))).messageCount).toBe(2);
  channel.sendToQueue(name("rank"), body, { messageId: "r" });
  expect(await delivered.promise).toBe("r");
});
