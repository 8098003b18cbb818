import { expect, onTestFinished, test, vi } from "vitest";
import { closeFrame } from "./close-frame.test-kit.ts";
import { connectConsumer } from "./connect-consumer.ts";
import { connectPublisher } from "./connect-publisher.ts";
import { MessagingError } from "./messaging-error.ts";
import { keptLog, ownBroker } from "./own-broker.test-kit.ts";
import type { OnAnswer } from "./tcp-proxy.test-kit.ts";

const body = Buffer.from("body");
// The broker's answers to a beginning connection: start, tune, open, channel, confirms, channel for queues, queue, its end, prefetch, consume.
const answers = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const channelOpen = 4;

// What happens to the first connection at one of its answers.
const faults: readonly (readonly [string, (at: number) => OnAnswer])[] = [
  ["cut", (at) => (answer, connection, piece) => (connection === 1 && piece === at ? "cut" : answer)],
  [
    "closed by the broker",
    (at) => (answer, connection, piece) =>
      connection === 1 && piece === at ? Buffer.concat([answer, closeFrame("connection", 320, "stops")]) : answer,
  ],
  [
    "left without its channel",
    (at) => (answer, connection, piece) =>
      connection === 1 && piece === at && at >= channelOpen
        ? Buffer.concat([answer, closeFrame("channel", 541, "oh")])
        : answer,
  ],
  [
    "left without its channel and then cut",
    (at) => (answer, connection, piece) => {
      if (connection > 1 || piece < at || at < channelOpen) return answer;
      return piece === at ? Buffer.concat([answer, closeFrame("channel", 541, "oh")]) : "cut";
    },
  ],
];

test.each(faults)("a publisher whose connection is %s at any moment of its beginning comes up", async (_, fault) => {
  const broker = await ownBroker();
  const outcomes = answers.map(async (at) => {
    const queue = broker.queueName(`q${at}`);
    const { url } = await broker.proxy(fault(at));
    const publisher = connectPublisher({ url, connectionName: "test", queues: [{ name: queue }], log: keptLog() });
    const outcome = await publisher.publish({ queue, messageId: "m", body });
    await publisher.close();
    return outcome;
  });
  expect(await Promise.all(outcomes)).toEqual(answers.map(() => "confirmed"));
});

test.each(faults)("a consumer whose connection is %s at any moment of its beginning comes up", async (_, fault) => {
  const broker = await ownBroker();
  const delivered = answers.map(async (at) => {
    const queue = broker.queueName(`q${at}`);
    await broker.channel.assertQueue(queue, { arguments: { "x-queue-type": "quorum" } });
    broker.send(queue, "m");
    const { url } = await broker.proxy(fault(at));
    const { promise, resolve } = Promise.withResolvers<string>();
    const consumer = connectConsumer({
      url,
      connectionName: "test",
      queues: [{ name: queue }],
      queue,
      prefetch: 1,
      onDelivery: ({ messageId }) => resolve(messageId),
      log: keptLog(),
    });
    await promise;
    await vi.waitFor(() => expect(consumer.state).toBe("up"), 10_000);
    await consumer.close();
    // Unacknowledged, so it goes back.
    await vi.waitFor(async () => expect(await broker.take(queue)).toHaveLength(1), 10_000);
  });
  await Promise.all(delivered);
});

test("an app may start before its broker", async () => {
  const broker = await ownBroker();
  const queue = broker.queueName("q");
  const proxy = await broker.proxy();
  proxy.goDown();
  const log = keptLog();
  const publisher = connectPublisher({
    url: proxy.url,
    connectionName: "test",
    queues: [{ name: queue }],
    log,
  });
  onTestFinished(() => publisher.close());
  const outcome = publisher.publish({ queue, messageId: "early", body });
  await vi.waitFor(() => expect(proxy.refused).toBeGreaterThan(2), 10_000);
  expect(publisher.state).toBe("down");
  proxy.restore();
  expect(await outcome).toBe("confirmed");
  expect(log.lines).toHaveLength(2);
});

test("a publisher that is closed before its broker is there ends at once", async () => {
  const broker = await ownBroker();
  const proxy = await broker.proxy();
  proxy.goDown();
  const publisher = connectPublisher({ url: proxy.url, connectionName: "test", queues: [], log: keptLog() });
  const outcome = publisher.publish({ queue: "none", messageId: "m", body });
  await vi.waitFor(() => expect(proxy.refused).toBeGreaterThan(0));
  await publisher.close();
  expect(await outcome).toBe("expired");
});

test("a queue that exists with other arguments is told at the first connection, once, and not tried again", async () => {
  const broker = await ownBroker();
  const queue = broker.queueName("q");
  const proxy = await broker.proxy();
  await broker.channel.assertQueue(queue, { arguments: { "x-queue-type": "quorum" } });
  const log = keptLog();
  const publisher = connectPublisher({
    url: proxy.url,
    connectionName: "test",
    queues: [{ name: queue, messagesMax: 5 }],
    log,
  });
  onTestFinished(() => publisher.close());
  const refused: unknown = await publisher.ready.catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(MessagingError);
  expect(refused).toMatchObject({ code: "MESSAGING_TOPOLOGY", message: expect.stringContaining(queue) });
  expect(await publisher.publish({ queue, messageId: "m", body, deadline: Date.now() + 1000 })).toBe("expired");
  expect([publisher.state, proxy.connections, log.lines.length]).toEqual(["down", 1, 1]);
});

test("a queue that is replaced by another kind later is waited for, and told once", async () => {
  const broker = await ownBroker();
  const queue = broker.queueName("q");
  const proxy = await broker.proxy();
  const log = keptLog();
  const publisher = connectPublisher({
    url: proxy.url,
    connectionName: "test",
    queues: [{ name: queue }],
    log,
  });
  onTestFinished(() => publisher.close());
  await publisher.ready;
  await broker.channel.deleteQueue(queue);
  await broker.channel.assertQueue(queue, { arguments: { "x-queue-type": "classic" } });
  proxy.cut();
  await vi.waitFor(() => expect(proxy.connections).toBeGreaterThan(3), 10_000);
  expect(log.lines.filter((line) => line.includes("other arguments"))).toHaveLength(1);
  await broker.channel.deleteQueue(queue);
  expect(await publisher.publish({ queue, messageId: "m", body })).toBe("confirmed");
});

test("a frozen connection is given up when the heartbeats are missing", async () => {
  const broker = await ownBroker();
  const queue = broker.queueName("q");
  const proxy = await broker.proxy();
  const publisher = connectPublisher({
    url: `${proxy.url}?heartbeat=1`,
    connectionName: "test",
    queues: [{ name: queue }],
    log: keptLog(),
  });
  onTestFinished(() => publisher.close());
  await publisher.ready;
  proxy.freeze();
  expect(await publisher.publish({ queue, messageId: "m", body })).toBe("confirmed");
  expect(proxy.connections).toBe(2);
});
