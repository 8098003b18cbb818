import { setTimeout as delay } from "node:timers/promises";
import type { OnPiece } from "@tally/local";
import { expect, onTestFinished, test, vi } from "vitest";
import type { PublishOutcome } from "./connect-publisher.ts";
import { body, openPublisher, ownBroker } from "./own-broker.test-kit.ts";

// The basic.ack of a confirm.
const ack = Buffer.from([0, 60, 0, 80]);

/** Makes each confirm of a piece a basic.nack: the queue rejects the message. */
function rejected(piece: Buffer): Buffer {
  for (let at = piece.indexOf(ack); at !== -1; at = piece.indexOf(ack, at)) piece[at + 3] = 120;
  return piece;
}

/** A publisher that is connected through a proxy. It has two queues: `full` takes only two messages. */
async function connected(onResponse?: OnPiece) {
  const { queue, ...broker } = await ownBroker();
  const proxy = await broker.proxy(onResponse);
  const full = broker.queueName("full");
  const opened = openPublisher(proxy.url, [{ name: queue }, { name: full, messagesMax: 2 }]);
  await opened.publisher.ready;
  return { ...opened, queue, full, broker, proxy };
}

test("a confirmed message is in its queue, persistent and unchanged", async () => {
  const { queue, publisher, broker } = await connected();
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

test("a message to a topic is in each bound queue; without one it is confirmed", async () => {
  const { url, channel, queue, take } = await ownBroker();
  const topic = `${queue}.topic`;
  onTestFinished(() => channel.deleteExchange(topic).then(() => undefined));
  const { publisher } = openPublisher(url, [], [topic]);
  await publisher.ready;
  const message = { queue: "key", topic, messageId: "m", body, contentType: "application/x" };
  expect(await publisher.publish(message)).toBe("confirmed");
  await channel.assertQueue(queue);
  await channel.bindQueue(queue, topic, "#");
  expect(await publisher.publish(message)).toBe("confirmed");
  expect((await take(queue)).map(({ properties }) => properties.contentType)).toEqual(["application/x"]);
});

test("a message to a missing queue is unroutable, its neighbours are confirmed", async () => {
  const { queue, publisher } = await connected();
  const outcomes = await Promise.all(
    [queue, `${queue}.missing`, queue].map((to, i) => publisher.publish({ queue: to, messageId: `m${i}`, body })),
  );
  expect(outcomes).toEqual(["confirmed", "unroutable", "confirmed"]);
});

test("a deleted queue is declared again on the same connection", async () => {
  const { queue, publisher, broker, proxy } = await connected();
  await broker.channel.deleteQueue(queue);
  const publish = () => publisher.publish({ queue, messageId: "m", body });
  await vi.waitFor(async () => expect(await publish()).toBe("confirmed"), 30_000);
  expect([proxy.connections, await broker.takeIds(queue)]).toEqual([1, ["m"]]);
});

test("a message to a topic is confirmed although one with its id is returned before", async () => {
  let held: Buffer | undefined;
  const { queue, publisher } = await connected((piece) => {
    const at = piece.indexOf(ack) - 7;
    if (at < 0) return piece;
    const [before, confirm, after] = [piece.subarray(0, at), piece.subarray(at, at + 21), piece.subarray(at + 21)];
    const sent = held ? [before, held, confirm, after] : [before, after];
    held ??= Buffer.from(confirm);
    return Buffer.concat(sent);
  });
  const message = { queue: `${queue}.missing`, messageId: "m", body };
  const ofTopic = publisher.publish({ ...message, topic: "amq.topic" });
  await vi.waitFor(() => expect(held).toBeDefined(), 30_000);
  expect(await Promise.all([ofTopic, publisher.publish(message)])).toEqual(["confirmed", "unroutable"]);
});

test("a full queue rejects further messages, and holds exactly the confirmed ones", async () => {
  const { full: queue, publisher, broker } = await connected();
  const outcomes: PublishOutcome[] = [];
  // The limit is soft: the queue informs its publishers only after the message that exceeded it.
  while (!outcomes.includes("rejected") && outcomes.length < 20)
    outcomes.push(await publisher.publish({ queue, messageId: `m${outcomes.length}`, body }));
  expect(outcomes.at(-1)).toBe("rejected");
  const confirmed = outcomes.flatMap((outcome, i) => (outcome === "confirmed" ? [`m${i}`] : []));
  expect(await broker.takeIds(queue)).toEqual(confirmed);
  await vi.waitFor(
    async () => expect(await publisher.publish({ queue, messageId: "later", body })).toBe("confirmed"),
    30_000,
  );
});

test("a rejection after a copy may have been accepted is unknown with a deadline, rejected without one", async () => {
  const { queue, publisher } = await connected((piece, connection) => {
    if (!piece.includes(ack)) return piece;
    return connection === 1 ? "cut" : rejected(piece);
  });
  const outcomes = [performance.now() + 20_000, undefined].map((deadline, i) =>
    publisher.publish({ queue, messageId: `m${i}`, body, ...(deadline !== undefined && { deadline }) }),
  );
  expect(await Promise.all(outcomes)).toEqual(["expired", "rejected"]);
});

test("a channel on which an empty queue rejects everything is replaced; one with a full queue is kept", async () => {
  const { queue, full, publisher, log, proxy } = await connected((piece, connection) =>
    connection === 1 ? rejected(piece) : piece,
  );
  const until = async (to: string, wanted: PublishOutcome, count: number) => {
    let seen = 0;
    for (const begunAt = performance.now(); seen < count && performance.now() - begunAt < 60_000; await delay(50))
      if ((await publisher.publish({ queue: to, messageId: "m", body })) === wanted) seen++;
    expect(seen).toBe(count);
  };
  await until(queue, "rejected", 1);
  await until(queue, "confirmed", 1);
  expect(log.lines[1]).toMatch(/^warn lost the connection .* rejects everything, and holds only \d+ messages$/);
  expect(proxy.connections).toBe(2);
  await until(full, "rejected", 50);
  expect(proxy.connections).toBe(2);
});

test("a channel on which a topic rejects everything is replaced, but not often", async () => {
  const broker = await ownBroker();
  const topic = `${broker.queue}.topic`;
  onTestFinished(() => broker.channel.deleteExchange(topic).then(() => undefined));
  let rejects = true;
  const proxy = await broker.proxy((piece) => (rejects ? rejected(piece) : piece));
  const { publisher, log } = openPublisher(proxy.url, [], [topic]);
  const outcomesOf = async (count: number) => {
    const outcomes = new Set<PublishOutcome>();
    for (; count > 0; count--, await delay(50))
      outcomes.add(await publisher.publish({ queue: "key", topic, messageId: "m", body }));
    return [...outcomes];
  };
  for (const count of [60, 30]) {
    rejects = true;
    expect(await outcomesOf(count)).toEqual(["rejected"]);
    expect(proxy.connections).toBe(2);
    rejects = false;
    expect(await outcomesOf(1)).toEqual(["confirmed"]);
  }
  expect(log.lines[1]).toMatch(/^warn lost the connection .*: a queue of .*\.topic rejects everything$/);
});

test("connections that are lost repeatedly while publishing lose no message and keep the order", async () => {
  const { queue, publisher, broker, proxy } = await connected();
  const ids = Array.from({ length: 3000 }, (_, i) => `m${i}`);
  const outcomes: Promise<PublishOutcome>[] = [];
  for (const [i, messageId] of ids.entries()) {
    outcomes.push(publisher.publish({ queue, messageId, body: Buffer.alloc(2000, messageId) }));
    if (i % 20 === 0) await new Promise(setImmediate);
    if (i % 700 !== 350) continue;
    const next = proxy.nextConnection();
    proxy.endConnections();
    // Some cuts happen while it sends, others before it resends all open messages.
    if (i > 1000) await next;
  }
  expect(new Set(await Promise.all(outcomes))).toEqual(new Set(["confirmed"]));
  expect([...new Set(await broker.takeIds(queue))]).toEqual(ids);
  // A new connection sends what has no outcome: nothing.
  const next = proxy.nextConnection();
  proxy.endConnections();
  await next;
  expect(await publisher.publish({ queue, messageId: "last", body })).toBe("confirmed");
  expect(await broker.takeIds(queue)).toEqual(["last"]);
});

test("messages published without a connection are sent in order after it is restored", async () => {
  const { queue, publisher, log, broker, proxy } = await connected();
  proxy.become({ name: "cut" });
  await vi.waitFor(() => expect(publisher.state).toBe("down"), 30_000);
  expect(await publisher.queueDepth(queue)).toBeUndefined();
  const outcomes = ["a", "b", "c"].map((messageId) => publisher.publish({ queue, messageId, body }));
  const before = proxy.refused;
  await vi.waitFor(() => expect(proxy.refused).toBeGreaterThan(before + 2), 30_000);
  proxy.become({ name: "open" });
  expect(await Promise.all(outcomes)).toEqual(["confirmed", "confirmed", "confirmed"]);
  expect(await broker.takeIds(queue)).toEqual(["a", "b", "c"]);
  expect(log.lines.filter((line) => line.includes("lost"))).toHaveLength(1);
  // One line for each change of state and one for each new reason, none for each attempt.
  expect(log.lines.filter((line) => line.startsWith("info"))).toHaveLength(2);
  expect(new Set(log.lines.filter((line) => line.startsWith("warn"))).size).toBe(log.lines.length - 2);
});

test("a message expires at its deadline without a connection, whatever the clock does, and is not sent later", async () => {
  const { queue, publisher, broker, proxy } = await connected();
  proxy.become({ name: "cut" });
  await vi.waitFor(() => expect(publisher.state).toBe("down"), 30_000);
  const patient = publisher.publish({ queue, messageId: "patient", body });
  const hasty = publisher.publish({ queue, messageId: "hasty", body, deadline: performance.now() + 100 });
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 600_000 });
  onTestFinished(() => void vi.useRealTimers());
  expect(await hasty).toBe("expired");
  proxy.become({ name: "open" });
  expect(await patient).toBe("confirmed");
  expect(await broker.takeIds(queue)).toEqual(["patient"]);
});

test("close does not wait for confirms: open messages expire, and later ones too", async () => {
  const { queue, publisher, proxy } = await connected();
  proxy.freezeConnections();
  const open = publisher.publish({ queue, messageId: "open", body });
  const closed = publisher.close();
  expect(await open).toBe("expired");
  expect(await publisher.publish({ queue, messageId: "late", body })).toBe("expired");
  proxy.endConnections();
  await closed;
});

test("a message that AMQP cannot carry rejects alone and is not kept", async () => {
  const { queue, publisher, proxy } = await connected();
  const messageId = vi.fn<() => string>(() => "m".repeat(300));
  const message = {
    queue,
    body,
    get messageId() {
      return messageId();
    },
  };
  await expect(publisher.publish(message)).rejects.toThrow(/messageId/);
  // A new connection sends what is kept.
  const next = proxy.nextConnection();
  proxy.endConnections();
  await next;
  expect(await publisher.publish({ queue, messageId: "next", body })).toBe("confirmed");
  expect(messageId).toHaveBeenCalledOnce();
});

test("the depth of a queue is the number of waiting messages, and a missing queue disturbs nothing", async () => {
  const { queue, publisher, log } = await connected();
  expect(await publisher.queueDepth(queue)).toBe(0);
  for (const messageId of ["a", "b", "c"]) await publisher.publish({ queue, messageId, body });
  // A busy broker says 0 when its queue does not respond within 250 ms.
  await expect.poll(() => publisher.queueDepth(queue)).toBe(3);
  expect(await publisher.queueDepth(`${queue}.missing`)).toBeUndefined();
  await vi.waitFor(async () => expect(await publisher.queueDepth(queue)).toBe(3), 30_000);
  expect(await publisher.publish({ queue, messageId: "d", body })).toBe("confirmed");
  expect(log.lines).toEqual(["info connected to the broker"]);
});
