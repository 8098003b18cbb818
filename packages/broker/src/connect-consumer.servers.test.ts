import type { OnPiece } from "@tally/local";
import { expect, test, vi } from "vitest";
import type { Delivery } from "./connect-consumer.ts";
import { closeFrame, openConsumer, ownBroker } from "./own-broker.test-kit.ts";

/** A connected consumer of the test's first queue, through a proxy. */
async function openConnected(options: Parameters<typeof openConsumer>[2] = {}, onResponse?: OnPiece) {
  const { queue, ...broker } = await ownBroker();
  const proxy = await broker.proxy(onResponse);
  const opened = openConsumer(proxy.url, { name: queue }, options);
  await opened.consumer.ready;
  return { ...opened, queue, broker, proxy };
}

const messageIds = (count: number) => Array.from({ length: count }, (_, i) => `m${i}`);

test("a delivery has the sent content, and unsettled deliveries never exceed the prefetch", async () => {
  const { queue, deliveries, arrived, ids, broker } = await openConnected({ prefetch: 2 });
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

test("after a lost connection unsettled messages are redelivered; settling lost copies does nothing", async () => {
  const { queue, consumer, deliveries, arrived, ids, broker, proxy } = await openConnected();
  expect(consumer.held).toBe(0);
  broker.send(queue, "a", "b", "c");
  await arrived(3);
  expect(consumer.held).toBe(3);
  const lost = deliveries.splice(0);
  proxy.endConnections();
  await vi.waitFor(() => expect(consumer.state).toBe("down"), 10_000);
  expect(consumer.held).toBe(0);
  expect(lost.map((delivery) => delivery.lost)).toEqual([true, true, true]);
  lost[0]?.ack();
  await arrived(3);
  lost[1]?.reject();
  expect(new Set(ids())).toEqual(new Set(["a", "b", "c"]));
  expect([deliveries.length, consumer.held]).toEqual([3, 3]);
  expect(deliveries.every(({ redelivered, lost: isLost }) => redelivered && !isLost)).toBe(true);
  deliveries[0]?.ack();
  for (const delivery of deliveries.slice(0, 2)) delivery.ack();
  expect(consumer.held).toBe(1);
  deliveries[2]?.ack();
  await consumer.close();
  expect(await broker.take(queue)).toEqual([]);
});

test("cancel stops deliveries; those that arrived can be acknowledged, the others stay in the queue", async () => {
  const { queue, consumer, deliveries, arrived, ids, log, broker } = await openConnected();
  broker.send(queue, "a", "b");
  await arrived(2);
  await consumer.cancel();
  broker.send(queue, "c");
  for (const delivery of deliveries) delivery.ack();
  await consumer.close();
  expect(log.lines).toEqual(["info connected to the broker"]);
  expect(await broker.takeIds(queue)).toEqual(["c"]);
  expect(ids()).toEqual(["a", "b"]);
});

test("cancel at any moment while a connection starts leaves no consumer", async () => {
  const { queue, ...broker } = await ownBroker();
  // Responses to a connection: start, tune, open, channel, queue, prefetch, consume.
  for (let responses = 1; responses <= 8; responses++) {
    let cancelled: Promise<void> | undefined;
    const proxy = await broker.proxy((piece, _connection, number) => {
      if (number === responses) cancelled = consumer.cancel();
      return piece;
    });
    const { consumer } = openConsumer(proxy.url, { name: queue }, { prefetch: 1 });
    await consumer.ready;
    await (cancelled ?? consumer.cancel());
    expect([responses, (await broker.channel.checkQueue(queue)).consumerCount]).toEqual([responses, 0]);
    await consumer.close();
  }
});

test.each([[false], [true]])("close right after acknowledgements loses none (cancelled before: %s)", async (first) => {
  const { queue, ...broker } = await ownBroker();
  // The bug that this finds appeared in half of the rounds.
  for (let round = 0; round < 6; round++) {
    const { consumer, deliveries, arrived } = openConsumer(broker.url, { name: queue }, { prefetch: 1000 });
    await consumer.ready;
    broker.send(queue, ...messageIds(1000));
    await arrived(1000);
    if (first) await consumer.cancel();
    for (const delivery of deliveries) delivery.ack();
    await consumer.close();
    expect(await broker.take(queue)).toEqual([]);
    deliveries[0]?.ack();
  }
});

// The responses: consumer cancelled, nothing to get, connection closed.
test.each([1, 2, 3])("close ends when response %i to it is lost with the connection", async (lost) => {
  let responses: number | undefined;
  const { consumer, log } = await openConnected({}, (piece) => {
    if (responses === undefined) return piece;
    responses++;
    return responses === lost ? "cut" : piece;
  });
  responses = 0;
  await consumer.close();
  expect(responses).toBe(lost);
  expect(log.lines.length).toBeLessThanOrEqual(2);
});

test("a deleted queue is declared again and consumed; settling older deliveries never throws", async () => {
  const { queue, ...broker } = await ownBroker();
  const unsettled: Delivery[] = [];
  const ackNext = (): void => {
    unsettled.shift()?.ack();
    if (unsettled.length > 0) setImmediate(ackNext);
  };
  const { consumer, deliveries, arrived, ids, log } = openConsumer(broker.url, { name: queue }, { prefetch: 200 });
  await consumer.ready;
  // Logged when the connection is lost.
  log.warn = () => void setImmediate(ackNext);
  broker.send(queue, ...messageIds(200));
  await arrived(200);
  unsettled.push(...deliveries.splice(0));
  await broker.channel.deleteQueue(queue);
  await vi.waitFor(() => expect([consumer.state, unsettled.length]).toEqual(["up", 0]), 10_000);
  broker.send(queue, "after");
  await arrived(1);
  expect(ids()).toEqual(["after"]);
});

test("a channel that the broker closes is replaced, and the log has the reason", async () => {
  let due = false;
  // A broker does this after it has waited too long for an acknowledgement.
  const { queue, consumer, deliveries, arrived, log, broker } = await openConnected({}, (piece) => {
    // Not the late end of another channel, nor a heartbeat: the message, by the name of its consumer.
    if (!due || !piece.includes("deliveries")) return piece;
    due = false;
    return Buffer.concat([piece, closeFrame("channel", 406, "PRECONDITION_FAILED - held too long")]);
  });
  due = true;
  broker.send(queue, "a");
  await arrived(1);
  deliveries[0]?.ack();
  await arrived(2);
  await vi.waitFor(() => expect(consumer.state).toBe("up"), 10_000);
  expect(deliveries[1]).toMatchObject({ messageId: "a", redelivered: true });
  expect(log.lines[1]).toMatch(/^warn lost the connection to the broker; reconnecting: .*held too long/);
});

test("a rejected delivery goes to the dead letters", async () => {
  const { queue, ...broker } = await ownBroker();
  const dead = broker.queueName("dead");
  const spec = { name: queue, messagesMax: 100, deadLetterTo: dead, deliveryLimit: 50 };
  const { consumer, deliveries, arrived } = openConsumer(broker.url, spec, { more: [{ name: dead }] });
  await consumer.ready;
  broker.send(queue, "bad");
  await arrived(1);
  deliveries[0]?.reject();
  await vi.waitFor(async () => expect(await broker.takeIds(dead)).toEqual(["bad"]), 20_000);
});
