import type { QueueSpec } from "@tally/pipeline";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { connectPublisher, type PublishOutcome } from "./connect-publisher.ts";
import type { ConnectionState } from "./open-connection.ts";
import { keptLog, ownBroker } from "./own-broker.test-kit.ts";

async function publisherOf(url: string, queues: readonly QueueSpec[]) {
  const log = keptLog();
  const states: ConnectionState[] = [];
  const publisher = connectPublisher({
    url,
    connectionName: "test",
    queues,
    log,
    onStateChange: (state) => states.push(state),
  });
  onTestFinished(() => publisher.close());
  await publisher.ready;
  return { publisher, log, states };
}

const body = Buffer.from("body");

test("a confirmed message is in its queue, persistent, as it was given", async () => {
  const broker = await ownBroker();
  const queue = broker.queueName("q");
  const { publisher } = await publisherOf(broker.url, [{ name: queue }]);
  const large = Buffer.alloc(300_000, "x");
  const headers = { try: 1, why: "so" };
  expect(await publisher.publish({ queue, messageId: "small", body, headers })).toBe("confirmed");
  expect(await publisher.publish({ queue, messageId: "large", body: large })).toBe("confirmed");
  const taken = await broker.take(queue);
  expect(taken.map(({ properties }) => [properties.messageId, properties.deliveryMode])).toEqual([
    ["small", 2],
    ["large", 2],
  ]);
  expect(taken[0]?.properties.headers).toMatchObject(headers);
  expect(taken[1]?.content.equals(large)).toBe(true);
});

test("a message to a queue that does not exist is unroutable, its neighbours are confirmed", async () => {
  const broker = await ownBroker();
  const queue = broker.queueName("q");
  const { publisher } = await publisherOf(broker.url, [{ name: queue }]);
  const outcomes = await Promise.all(
    [queue, `${queue}.missing`, queue].map((to, i) => publisher.publish({ queue: to, messageId: `m${i}`, body })),
  );
  expect(outcomes).toEqual(["confirmed", "unroutable", "confirmed"]);
});

test("a full queue refuses what is too much, and holds exactly what it confirmed", async () => {
  const broker = await ownBroker();
  const queue = broker.queueName("q");
  const { publisher } = await publisherOf(broker.url, [{ name: queue, messagesMax: 2 }]);
  const outcomes: PublishOutcome[] = [];
  // The limit is a soft one: the queue tells its publishers only after the message that went beyond it.
  while (!outcomes.includes("rejected") && outcomes.length < 20)
    outcomes.push(await publisher.publish({ queue, messageId: `m${outcomes.length}`, body }));
  expect(outcomes.at(-1)).toBe("rejected");
  const confirmed = outcomes.flatMap((outcome, i) => (outcome === "confirmed" ? [`m${i}`] : []));
  expect((await broker.take(queue)).map(({ properties }) => properties.messageId)).toEqual(confirmed);
  await vi.waitFor(
    async () => expect(await publisher.publish({ queue, messageId: "later", body })).toBe("confirmed"),
    10_000,
  );
});

test("refused after an earlier copy may have been taken: with a deadline that is unknown, without one it is refused", async () => {
  const broker = await ownBroker();
  const queue = broker.queueName("q");
  const ack = Buffer.from([0, 60, 0, 80]);
  const proxy = await broker.proxy((answer, connection) => {
    const at = answer.indexOf(ack);
    if (at === -1) return answer;
    if (connection === 1) return "cut";
    answer[at + 3] = 120;
    return answer;
  });
  const { publisher } = await publisherOf(proxy.url, [{ name: queue }]);
  const outcomes = [Date.now() + 20_000, undefined].map((deadline, i) =>
    publisher.publish({ queue, messageId: `m${i}`, body, ...(deadline !== undefined && { deadline }) }),
  );
  expect(await Promise.all(outcomes)).toEqual(["expired", "rejected"]);
});

test("a channel on which an empty queue refuses everything is left for a new one; one on which a full queue does is kept", async () => {
  const broker = await ownBroker();
  const [queue, full] = [broker.queueName("q"), broker.queueName("full")];
  // basic.ack becomes basic.nack: what is said of a message that a queue refuses.
  const ack = Buffer.from([0, 60, 0, 80]);
  const proxy = await broker.proxy((answer, connection) => {
    const at = connection === 1 ? answer.indexOf(ack) : -1;
    if (at !== -1) answer[at + 3] = 120;
    return answer;
  });
  const { publisher, log } = await publisherOf(proxy.url, [{ name: queue }, { name: full, messagesMax: 2 }]);
  const until = async (to: string, wanted: PublishOutcome, count: number) => {
    let seen = 0;
    for (const begunAt = performance.now(); seen < count && performance.now() - begunAt < 15_000; await delay(50))
      if ((await publisher.publish({ queue: to, messageId: "m", body })) === wanted) seen++;
    expect(seen).toBe(count);
  };
  await until(queue, "rejected", 1);
  await until(queue, "confirmed", 1);
  expect(log.lines[1]).toMatch(/^warn broker: connection lost: .* refuses everything, and holds only \d+ messages$/);
  expect(proxy.connections).toBe(2);
  await until(full, "rejected", 50);
  expect(proxy.connections).toBe(2);
});

test("a connection that is cut while publishing, again and again, loses nothing and keeps the order", async () => {
  const broker = await ownBroker();
  const queue = broker.queueName("q");
  const proxy = await broker.proxy();
  const { publisher } = await publisherOf(proxy.url, [{ name: queue }]);
  const ids = Array.from({ length: 3000 }, (_, i) => `m${i}`);
  const outcomes: Promise<PublishOutcome>[] = [];
  for (const [i, messageId] of ids.entries()) {
    outcomes.push(publisher.publish({ queue, messageId, body: Buffer.alloc(2000, messageId) }));
    if (i % 20 === 0) await new Promise(setImmediate);
    if (i % 700 !== 350) continue;
    const next = proxy.nextConnection();
    proxy.cut();
    // Some cuts hit a publisher that sends, some one that is about to send again all that it holds.
    if (i > 1000) await next;
  }
  expect(new Set(await Promise.all(outcomes))).toEqual(new Set(["confirmed"]));
  expect(publisher.openCount).toBe(0);
  const arrived = new Set((await broker.take(queue)).map(({ properties }) => String(properties.messageId)));
  expect([...arrived]).toEqual(ids);
});

test("what is published while the connection is down goes out in order when it is back", async () => {
  const broker = await ownBroker();
  const queue = broker.queueName("q");
  const proxy = await broker.proxy();
  const { publisher, log, states } = await publisherOf(proxy.url, [{ name: queue }]);
  proxy.goDown();
  await vi.waitFor(() => expect(publisher.state).toBe("down"));
  expect(await publisher.queueDepth(queue)).toBeUndefined();
  const outcomes = ["a", "b", "c"].map((messageId) => publisher.publish({ queue, messageId, body }));
  expect(publisher.openCount).toBe(3);
  const before = proxy.refused;
  await vi.waitFor(() => expect(proxy.refused).toBeGreaterThan(before + 2), 10_000);
  proxy.restore();
  expect(await Promise.all(outcomes)).toEqual(["confirmed", "confirmed", "confirmed"]);
  expect((await broker.take(queue)).map(({ properties }) => properties.messageId)).toEqual(["a", "b", "c"]);
  expect(states).toEqual(["up", "down", "up"]);
  // A line for each change of state and one for each new reason, none for each attempt.
  expect(log.lines.filter((line) => line.startsWith("info"))).toHaveLength(2);
  expect(new Set(log.lines.filter((line) => line.startsWith("warn"))).size).toBe(log.lines.length - 2);
});

test("a message expires at its deadline while the connection is down, and is not sent later", async () => {
  const broker = await ownBroker();
  const queue = broker.queueName("q");
  const proxy = await broker.proxy();
  const { publisher } = await publisherOf(proxy.url, [{ name: queue }]);
  proxy.goDown();
  await vi.waitFor(() => expect(publisher.state).toBe("down"));
  const patient = publisher.publish({ queue, messageId: "patient", body });
  expect(await publisher.publish({ queue, messageId: "hasty", body, deadline: Date.now() + 100 })).toBe("expired");
  expect(publisher.openCount).toBe(1);
  proxy.restore();
  expect(await patient).toBe("confirmed");
  expect((await broker.take(queue)).map(({ properties }) => properties.messageId)).toEqual(["patient"]);
});

test("close waits for nothing: open messages expire, and so does what comes after", async () => {
  const broker = await ownBroker();
  const queue = broker.queueName("q");
  const proxy = await broker.proxy();
  const { publisher } = await publisherOf(proxy.url, [{ name: queue }]);
  proxy.freeze();
  const open = publisher.publish({ queue, messageId: "open", body });
  const closed = publisher.close();
  expect(await open).toBe("expired");
  expect(await publisher.publish({ queue, messageId: "late", body })).toBe("expired");
  expect(publisher.openCount).toBe(0);
  proxy.cut();
  await closed;
});

test("a message that AMQP cannot carry rejects alone and is not kept", async () => {
  const broker = await ownBroker();
  const queue = broker.queueName("q");
  const { publisher } = await publisherOf(broker.url, [{ name: queue }]);
  await expect(publisher.publish({ queue, messageId: "m".repeat(300), body })).rejects.toThrow(/messageId/);
  expect(publisher.openCount).toBe(0);
  expect(await publisher.publish({ queue, messageId: "next", body })).toBe("confirmed");
});

test("more than the socket takes at once waits, and all of it arrives in order", async () => {
  const broker = await ownBroker();
  const queue = broker.queueName("q");
  const { publisher } = await publisherOf(broker.url, [{ name: queue }]);
  const ids = Array.from({ length: 2500 }, (_, i) => `m${i}`);
  const outcomes = await Promise.all(ids.map((messageId) => publisher.publish({ queue, messageId, body })));
  expect(new Set(outcomes)).toEqual(new Set(["confirmed"]));
  expect((await broker.take(queue)).map(({ properties }) => properties.messageId)).toEqual(ids);
});

test("the depth of a queue is its waiting messages, and asking for one that is missing disturbs nothing", async () => {
  const broker = await ownBroker();
  const queue = broker.queueName("q");
  const { publisher, log } = await publisherOf(broker.url, [{ name: queue }]);
  expect(await publisher.queueDepth(queue)).toBe(0);
  for (const messageId of ["a", "b", "c"]) await publisher.publish({ queue, messageId, body });
  expect(await publisher.queueDepth(queue)).toBe(3);
  expect(await publisher.queueDepth(`${queue}.missing`)).toBeUndefined();
  await vi.waitFor(async () => expect(await publisher.queueDepth(queue)).toBe(3));
  expect(await publisher.publish({ queue, messageId: "d", body })).toBe("confirmed");
  expect(log.lines).toEqual(["info broker: connected"]);
});
