import type { OnPiece } from "@tally/local";
import { expect, test, vi } from "vitest";
import { MessagingError } from "./declare-queues.ts";
import { body, closeFrame, openConsumer, openPublisher, ownBroker } from "./own-broker.test-kit.ts";

// The broker's responses while a connection starts: start, tune, open, channel, confirms, channel for queues, queue,
// its end, prefetch, consume.
const responses = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const channelOpen = 4;

// What happens to the first connection at one of these responses.
const atResponse =
  (from: number, change: (piece: Buffer) => Buffer | "cut", next?: "cut") =>
  (at: number): OnPiece =>
  (piece, connection, number) => {
    if (connection > 1 || number < at || at < from) return piece;
    return number === at ? change(piece) : (next ?? piece);
  };
const withoutChannel = (piece: Buffer) => Buffer.concat([piece, closeFrame("channel", 541, "oh")]);
const faults = [
  ["cut", atResponse(1, () => "cut")],
  ["closed by the broker", atResponse(1, (piece) => Buffer.concat([piece, closeFrame("connection", 320, "stops")]))],
  ["without its channel", atResponse(channelOpen, withoutChannel)],
  ["without its channel and then cut", atResponse(channelOpen, withoutChannel, "cut")],
] as const;

test.each(faults)("publishers and consumers whose connection is %s while it starts come up", async (_, fault) => {
  const broker = await ownBroker();
  const delivered = responses.map(async (at) => {
    const queue = broker.queueName(`q${at}`);
    const { publisher } = openPublisher((await broker.proxy(fault(at))).url, [{ name: queue }]);
    expect(await publisher.publish({ queue, messageId: "m", body })).toBe("confirmed");
    await publisher.close();
    // A message whose confirm was lost is there twice.
    await broker.take(queue);
    broker.send(queue, "m");
    const { consumer, arrived } = openConsumer((await broker.proxy(fault(at))).url, { name: queue }, { prefetch: 1 });
    await arrived(1);
    await vi.waitFor(() => expect(consumer.state).toBe("up"), 30_000);
    await consumer.close();
    // Not acknowledged, so it returns to the queue.
    await vi.waitFor(async () => expect(await broker.take(queue)).toHaveLength(1), 30_000);
  });
  await Promise.all(delivered);
});

test("an app can start before its broker", async () => {
  const { queue, ...broker } = await ownBroker();
  const proxy = await broker.proxy();
  proxy.become({ name: "cut" });
  const { publisher, log } = openPublisher(proxy.url, [{ name: queue }]);
  const outcome = publisher.publish({ queue, messageId: "early", body });
  await vi.waitFor(() => expect(proxy.refused).toBeGreaterThan(2), 30_000);
  expect(publisher.state).toBe("down");
  proxy.become({ name: "open" });
  expect(await outcome).toBe("confirmed");
  const failed = expect.stringMatching(/^warn cannot connect to the broker; retrying/);
  // One line for each reason, none for each attempt: a reset ends the connect or the first read.
  const [last, ...failures] = log.lines.toReversed();
  expect([last, failures.length > 0]).toEqual(["info connected to the broker", true]);
  expect(failures).toEqual(Array.from(new Set(failures), () => failed));
});

test("a publisher that is closed before its first connection ends at once", async () => {
  const broker = await ownBroker();
  const proxy = await broker.proxy();
  proxy.become({ name: "cut" });
  const { publisher } = openPublisher(proxy.url, []);
  const outcome = publisher.publish({ queue: "none", messageId: "m", body });
  await vi.waitFor(() => expect(proxy.refused).toBeGreaterThan(0), 30_000);
  await publisher.close();
  expect(await outcome).toBe("expired");
});

// The connection.close-ok of a connection that is closed.
const closeOk = Buffer.from([0, 10, 0, 51]);

test("a queue with other arguments fails the first connection, with one log line and no retry", async () => {
  const { queue, ...broker } = await ownBroker();
  const proxy = await broker.proxy();
  await broker.channel.assertQueue(queue, { arguments: { "x-queue-type": "quorum" } });
  const { publisher, log } = openPublisher(proxy.url, [{ name: queue, messagesMax: 5 }]);
  const rejection: unknown = await publisher.ready.catch((error: unknown) => error);
  expect(rejection).toBeInstanceOf(MessagingError);
  expect(rejection).toMatchObject({ code: "MESSAGING_TOPOLOGY", message: expect.stringContaining(queue) });
  expect(await publisher.publish({ queue, messageId: "m", body, deadline: performance.now() + 1000 })).toBe("expired");
  expect([publisher.state, proxy.connections, log.lines.length]).toEqual(["down", 1, 1]);
});

test("a queue that is replaced by another kind later is retried, with one log line", async () => {
  const { queue, ...broker } = await ownBroker();
  // Each close of a connection loses it before the broker's response.
  const proxy = await broker.proxy((piece) => (piece.includes(closeOk) ? "cut" : piece));
  const { publisher, log } = openPublisher(proxy.url, [{ name: queue }]);
  await publisher.ready;
  await broker.channel.deleteQueue(queue);
  await broker.channel.assertQueue(queue, { arguments: { "x-queue-type": "classic" } });
  proxy.endConnections();
  await vi.waitFor(() => expect(proxy.connections).toBeGreaterThan(3), 30_000);
  expect(log.lines.filter((line) => line.includes("other arguments"))).toHaveLength(1);
  await broker.channel.deleteQueue(queue);
  expect(await publisher.publish({ queue, messageId: "m", body })).toBe("confirmed");
});

test("a frozen connection is replaced after missed heartbeats", async () => {
  const { queue, ...broker } = await ownBroker();
  const proxy = await broker.proxy();
  const { publisher } = openPublisher(`${proxy.url}?heartbeat=2`, [{ name: queue }]);
  await publisher.ready;
  proxy.freezeConnections();
  expect(await publisher.publish({ queue, messageId: "m", body })).toBe("confirmed");
  expect(proxy.connections).toBe(2);
});
