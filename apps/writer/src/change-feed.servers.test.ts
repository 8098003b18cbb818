import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { connectConsumer, type Delivery } from "@tally/broker";
import { openPublisher } from "@tally/broker/own-broker";
import { feedOf, newEventId, type Event } from "@tally/contract";
import { silentLog } from "@tally/runtime";
import { Compile } from "typebox/compile";
import { expect, inject, test, vi } from "vitest";
import { changeFeed } from "./change-feed.ts";
import { bodyOf, purchases, purchasesDatabase, receivedOf, sale, storeIn } from "./purchases.test-kit.ts";

const own = purchasesDatabase();
const document = JSON.parse(readFileSync(new URL("../../../docs/asyncapi.json", import.meta.url), "utf8"));
const documented = Compile(document.components.messages.batch.payload);

/** A feed with a subscriber whose full queue rejects messages. */
async function open({ rejectedMaxMs = 10_000, onRejected = async () => {}, lacksRows = false } = {}) {
  const namespace = `t${randomBytes(6).toString("hex")}`;
  const { exchange, key: name } = feedOf(namespace, purchases.name);
  const queues = [{ name, exchange, messagesMax: 20 }];
  const broker = { url: inject("services").amqpUrl, queues, connectionName: "test", log: silentLog };
  const { publisher } = openPublisher(broker.url, queues);
  await publisher.ready;
  const database = own.connect();
  const rows = lacksRows ? { query: async () => [] } : database.writer;
  const checked: typeof publisher.publish = async (message) => {
    expect(message.contentType).toBe(document.components.messages.batch.contentType);
    const outcome = await publisher.publish(message);
    if (outcome === "rejected") await onRejected();
    return outcome;
  };
  const parts = { domain: purchases, namespace, rows, publisher: { publish: checked }, rejectedMaxMs };
  const feed = changeFeed({ ...parts, signal: new AbortController().signal, log: silentLog });
  return {
    /** Stores events as a new batch, and publishes what it has stored. */
    store: async (events: readonly Event[], { body = bodyOf(events), redelivered = false } = {}) => {
      const received = receivedOf(body, redelivered);
      const { changesOf } = await database.transaction((transaction) => storeIn(transaction, [body]));
      return feed(received, changesOf.get(received.key));
    },
    /** The CloudEvents that come next, by message. */
    take: async (count: number) => {
      const messages: { id: string; type: string; subject: string; time: string; data: object }[][] = [];
      const onDelivery = (delivery: Delivery) => {
        messages.push(JSON.parse(delivery.body.toString()));
        delivery.ack();
      };
      const consumer = connectConsumer({ ...broker, queue: name, prefetch: 100, onDelivery });
      await vi.waitFor(() => expect(messages.length).toBeGreaterThanOrEqual(count), 30_000);
      await consumer.close();
      for (const message of messages) expect([...documented.Errors(message)]).toEqual([]);
      return messages;
    },
  };
}

const correction = (fields: object): Event => ({ id: newEventId(), ...fields });
const byId = (events: readonly { id: string }[]) => events.toSorted((a, b) => (a.id < b.id ? -1 : 1));

test("a batch that is delivered again is published again from its rows, also when another batch has stored them", async () => {
  const { store, take } = await open();
  const sales = [sale(1, { lines: [[5, 2, 19_900, 5000]], soldAt: 1_763_634_598_000 }), sale(2), sale(3)];
  const [first, second] = sales.map(({ id }) => id);
  const refund = correction({ kind: "refund", saleId: first, storeId: 7, date: 20261121, lines: [[0, 5, 1]] });
  const events = [...sales, correction({ kind: "void", saleId: second }), refund];
  const body = bodyOf(events);
  await store(events, { body });
  await store(events, { body });
  await store(events, { redelivered: true });
  await store(events);
  await store([sale(4)]);
  const [published = [], ...others] = await take(4);
  const items = [{ ItemID: 5, numberOfItems: 1, amount: "1.7400" }];
  expect(byId(published).map(({ id }) => id)).toEqual(byId(events).map(({ id }) => id));
  expect(published.find(({ id }) => id === refund.id)).toMatchObject({
    type: "tally.purchases.refund.v1",
    subject: "7",
    data: { eventID: refund.id, saleEventID: first, date: "20261121", items },
  });
  const times = [published, others[0] ?? []].flat().map(({ time }) => time);
  expect(new Set(times)).toEqual(new Set([new Date(receivedOf(body).batch.createdAt).toISOString()]));
  const withoutTime = (message: typeof published) => byId(message).map((one) => Object.assign(one, { time: "" }));
  expect(others.slice(0, 2).map(withoutTime)).toEqual([published, published].map(withoutTime));
  expect(others.slice(2).map((one) => one.map(({ subject }) => subject))).toEqual([["4"]]);
});

test.each([false, true])(
  "a redelivered batch is published once, also when a switchover hides its rows: %j",
  async (lacksRows) => {
    const { store, take } = await open({ lacksRows });
    await store([sale(8)], { redelivered: true });
    expect((await take(1)).flat().map(({ subject }) => subject)).toEqual(["8"]);
  },
);

test("a redelivered batch of large sales is published in messages of at most 4 MB", async () => {
  const { store, take } = await open();
  const lines = Array.from({ length: 500 }, (_, at) => [2 ** 53 - 1 - at, 1, 1e12 - 1, 1e12 - 1]);
  const sales = Array.from({ length: 75 }, (_, at) => sale(at, { lines }));
  await store(sales, { redelivered: true });
  const messages = await take(2);
  for (const message of messages) expect(JSON.stringify(message).length).toBeLessThan(4_000_000);
  expect(byId(messages.flat()).map(({ id }) => id)).toEqual(byId(sales).map(({ id }) => id));
});

test("a queue that rejects what it has no room for delays the writer once until a confirm, and the next batches not at all", async () => {
  let rejections = 0;
  const onRejected = async () => void rejections++;
  const { store, take } = await open({ rejectedMaxMs: 1000, onRejected });
  for (let round = 0; round < 2; round++) {
    const [startedAt, ofEach]: [number, number[]] = [performance.now(), []];
    for (let n = 0; n < 50; n++) {
      rejections = 0;
      expect(await store([sale(5)])).toBe("done");
      ofEach.push(rejections);
    }
    expect(performance.now() - startedAt).toBeGreaterThan(1000);
    // One that is not delayed is sent once. Not the time: stores are slow on a busy machine.
    expect(ofEach.join("")).toMatch(/^[01]*[2-9]1+$/);
    await take(20);
  }
});

test("a message outlives the time in which the broker does not respond, although it was rejected before and after", async () => {
  let rejections = 0;
  const onRejected = async (): Promise<void> => {
    rejections++;
    if (rejections === 2) await delay(5500);
    if (rejections === 3) await take(20);
  };
  // Longer than the 2 s that each of these pauses counts at most: on a busy machine the second one is long too.
  const { store, take } = await open({ rejectedMaxMs: 5000, onRejected });
  while (rejections === 0) expect(await store([sale(6)])).toBe("done");
  expect(rejections).toBeGreaterThanOrEqual(3);
  expect(await take(1)).toHaveLength(1);
});

test("a queue that rejects is given up also while each rejection is slow", async () => {
  let rejections = 0;
  const onRejected = async (): Promise<void> => {
    rejections++;
    await delay(1100);
  };
  const { store } = await open({ rejectedMaxMs: 1500, onRejected });
  while (rejections === 0) expect(await store([sale(7)])).toBe("done");
  expect(rejections).toBeGreaterThan(1);
});
