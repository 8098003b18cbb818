import type { QueueSpec } from "@tally/pipeline";
import { expect, onTestFinished, test, vi } from "vitest";
import { closeFrame } from "./close-frame.test-kit.ts";
import { connectConsumer, type Delivery } from "./connect-consumer.ts";
import type { ConnectionState } from "./open-connection.ts";
import { keptLog, ownBroker } from "./own-broker.test-kit.ts";

async function consumerOf(
  url: string,
  queue: QueueSpec,
  more: readonly QueueSpec[] = [],
  prefetch = 10,
  onStateChange: (state: ConnectionState) => void = () => undefined,
) {
  const deliveries: Delivery[] = [];
  const log = keptLog();
  const consumer = connectConsumer({
    url,
    connectionName: "test",
    queues: [...more, queue],
    queue: queue.name,
    prefetch,
    onDelivery: (delivery) => deliveries.push(delivery),
    onStateChange,
    log,
  });
  onTestFinished(() => consumer.close());
  await consumer.ready;
  const arrived = (count: number) => vi.waitFor(() => expect(deliveries.length).toBeGreaterThanOrEqual(count), 15_000);
  const ids = () => deliveries.map(({ messageId }) => messageId);
  return { consumer, deliveries, log, arrived, ids };
}

test("a delivery has what was sent, and never more are in hand than the prefetch", async () => {
  const broker = await ownBroker();
  const queue = broker.queueName("q");
  const { deliveries, arrived, ids } = await consumerOf(broker.url, { name: queue }, [], 2);
  broker.channel.sendToQueue(queue, Buffer.from("body"), { messageId: "a", headers: { why: "so" } });
  broker.send(queue, "b", "c");
  await arrived(2);
  expect(String(deliveries[0]?.body)).toBe("body");
  expect(deliveries[0]).toMatchObject({ messageId: "a", redelivered: false, headers: { why: "so" } });
  expect(ids()).toEqual(["a", "b"]);
  deliveries[0]?.ack();
  await arrived(3);
  expect(ids()).toEqual(["a", "b", "c"]);
});

test("after a cut, what was not acknowledged comes again as redelivered; settling the lost copies is nothing", async () => {
  const broker = await ownBroker();
  const queue = broker.queueName("q");
  const proxy = await broker.proxy();
  const { consumer, deliveries, arrived } = await consumerOf(proxy.url, { name: queue });
  broker.send(queue, "a", "b", "c");
  await arrived(3);
  const lost = deliveries.splice(0);
  proxy.cut();
  await vi.waitFor(() => expect(consumer.state).toBe("down"));
  expect(lost.map((delivery) => delivery.lost)).toEqual([true, true, true]);
  lost[0]?.ack();
  await arrived(3);
  lost[1]?.reject();
  lost[2]?.giveBack();
  expect(deliveries.map(({ messageId }) => messageId).toSorted((a, b) => a.localeCompare(b))).toEqual(["a", "b", "c"]);
  expect(deliveries.every(({ redelivered, lost: isLost }) => redelivered && !isLost)).toBe(true);
  for (const delivery of deliveries) delivery.ack();
  await consumer.close();
  expect(await broker.take(queue)).toEqual([]);
});

test("cancel ends the deliveries; those in hand can be acknowledged, the rest stays in the queue", async () => {
  const broker = await ownBroker();
  const queue = broker.queueName("q");
  const { consumer, deliveries, arrived, ids, log } = await consumerOf(broker.url, { name: queue });
  broker.send(queue, "a", "b");
  await arrived(2);
  await consumer.cancel();
  broker.send(queue, "c");
  for (const delivery of deliveries) delivery.ack();
  await consumer.close();
  expect(log.lines).toEqual(["info broker: connected"]);
  expect((await broker.take(queue)).map(({ properties }) => properties.messageId)).toEqual(["c"]);
  expect(ids()).toEqual(["a", "b"]);
});

test("cancel at any moment of a connection's beginning leaves no consumer behind", async () => {
  const broker = await ownBroker();
  const queue = broker.queueName("q");
  // Answers to a connection: start, tune, open, channel, queue, prefetch, consume.
  for (let answers = 1; answers <= 8; answers++) {
    let cancelled: Promise<void> | undefined;
    const proxy = await broker.proxy((answer, _connection, piece) => {
      if (piece === answers) cancelled = consumer.cancel();
      return answer;
    });
    const { promise: ready, resolve: begin } = Promise.withResolvers<void>();
    const consumer = connectConsumer({
      url: proxy.url,
      connectionName: "test",
      queues: [{ name: queue }],
      queue,
      prefetch: 1,
      onDelivery: () => undefined,
      onStateChange: () => begin(),
      log: keptLog(),
    });
    await ready;
    await (cancelled ?? consumer.cancel());
    expect([answers, (await broker.channel.checkQueue(queue)).consumerCount]).toEqual([answers, 0]);
    await consumer.close();
  }
});

test("a cancelled consumer that loses its connection comes back without taking anything", async () => {
  const broker = await ownBroker();
  const queue = broker.queueName("q");
  const proxy = await broker.proxy();
  const { consumer, deliveries, arrived } = await consumerOf(proxy.url, { name: queue });
  broker.send(queue, "a");
  await arrived(1);
  await consumer.cancel();
  proxy.cut();
  await vi.waitFor(() => expect([consumer.state, proxy.connections]).toEqual(["up", 2]), 10_000);
  expect(await broker.channel.checkQueue(queue)).toMatchObject({ messageCount: 1, consumerCount: 0 });
  expect(deliveries).toHaveLength(1);
});

test.each([[false], [true]])(
  "a close right after acknowledgements loses none (cancelled before: %s)",
  async (first) => {
    const broker = await ownBroker();
    const queue = broker.queueName("q");
    // Where some were lost, it was in every second round.
    for (let round = 0; round < 6; round++) {
      const { consumer, deliveries, arrived } = await consumerOf(broker.url, { name: queue }, [], 1000);
      broker.send(queue, ...Array.from({ length: 1000 }, (_, i) => `m${i}`));
      await arrived(1000);
      if (first) await consumer.cancel();
      for (const delivery of deliveries) delivery.ack();
      await consumer.close();
      expect(await broker.take(queue)).toEqual([]);
      deliveries[0]?.ack();
    }
  },
);

test("close ends, whichever of the broker's answers to it is lost with the connection", async () => {
  const broker = await ownBroker();
  const queue = broker.queueName("q");
  // The answers: consumer cancelled, nothing to get, connection closed.
  for (let lost = 1; lost <= 3; lost++) {
    let answers: number | undefined;
    const proxy = await broker.proxy((answer) => {
      if (answers === undefined) return answer;
      answers++;
      return answers === lost ? "cut" : answer;
    });
    const { consumer, log } = await consumerOf(proxy.url, { name: queue });
    answers = 0;
    await consumer.close();
    expect(answers).toBe(lost);
    expect(log.lines.length).toBeLessThanOrEqual(2);
  }
});

test("a queue deleted under its consumer is made again and consumed; settling what was in hand never throws", async () => {
  const broker = await ownBroker();
  const queue = broker.queueName("q");
  const inHand: Delivery[] = [];
  const ackNext = (): void => {
    inHand.shift()?.ack();
    if (inHand.length > 0) setImmediate(ackNext);
  };
  const { consumer, deliveries, arrived } = await consumerOf(broker.url, { name: queue }, [], 200, (state) => {
    if (state === "down") setImmediate(ackNext);
  });
  broker.send(queue, ...Array.from({ length: 200 }, (_, i) => `before ${i}`));
  await arrived(200);
  inHand.push(...deliveries.splice(0));
  await broker.channel.deleteQueue(queue);
  await vi.waitFor(() => expect([consumer.state, inHand.length]).toEqual(["up", 0]), 10_000);
  broker.send(queue, "after");
  await arrived(1);
  expect(deliveries.map(({ messageId }) => messageId)).toEqual(["after"]);
});

test("a channel that the broker closes comes back, and the log tells why it went", async () => {
  const broker = await ownBroker();
  const queue = broker.queueName("q");
  let due = false;
  // A broker that has waited too long for an acknowledgement does this.
  const proxy = await broker.proxy((answer) => {
    if (!due) return answer;
    due = false;
    return Buffer.concat([answer, closeFrame("channel", 406, "PRECONDITION_FAILED - held too long")]);
  });
  const { consumer, deliveries, arrived, log } = await consumerOf(proxy.url, { name: queue });
  due = true;
  broker.send(queue, "a");
  await arrived(1);
  deliveries[0]?.ack();
  await arrived(2);
  await vi.waitFor(() => expect(consumer.state).toBe("up"));
  expect(deliveries[1]).toMatchObject({ messageId: "a", redelivered: true });
  expect(log.lines[1]).toMatch(/^warn broker: connection lost: .*held too long/);
});

test("a rejected delivery goes to the dead letters, one that is given back comes again", async () => {
  const broker = await ownBroker();
  const [queue, dead] = [broker.queueName("q"), broker.queueName("dead")];
  const { deliveries, arrived } = await consumerOf(
    broker.url,
    { name: queue, messagesMax: 100, deadLetterTo: dead, deliveryLimit: 50 },
    [{ name: dead }],
  );
  broker.send(queue, "bad");
  await arrived(1);
  deliveries[0]?.giveBack();
  await arrived(2);
  expect(deliveries[1]).toMatchObject({ messageId: "bad", redelivered: true });
  deliveries[1]?.reject();
  const letters = await vi.waitFor(async () => {
    const taken = await broker.take(dead);
    expect(taken).toHaveLength(1);
    return taken;
  }, 20_000);
  expect(letters[0]?.properties.messageId).toBe("bad");
});
