import { randomBytes } from "node:crypto";
import { connectConsumer, connectPublisher, type Delivery } from "@tally/messaging";
import { encodeBatch, newEventId, queuesOf } from "@tally/pipeline";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openDatabase } from "./rankings-equal-rows.ts";
import { startSystem, type TestSystem } from "./start-system.ts";

/* Messages that no gateway of ours would send, put straight into the ingest queue. */

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
let system: TestSystem;
let queues: ReturnType<typeof queuesOf>;
let publisher: ReturnType<typeof connectPublisher>;
let consumer: ReturnType<typeof connectConsumer>;
const letters: {
  readonly id: string;
  readonly reason: string;
  readonly event?: { readonly id: string };
  readonly body?: string;
}[] = [];

beforeAll(async () => {
  system = await startSystem();
  queues = queuesOf(system.namespace, "purchases");
  const common = { url: system.addresses.amqpUrl, connectionName: "test", queues: Object.values(queues), log };
  publisher = connectPublisher(common);
  consumer = connectConsumer({
    ...common,
    queue: queues.dead.name,
    prefetch: 10,
    onDelivery(delivery: Delivery) {
      letters.push(JSON.parse(delivery.body.toString()));
      delivery.ack();
    },
  });
  await consumer.ready;
});
afterAll(async () => {
  await consumer.close();
  await publisher.close();
  await system.stop();
});

const producer = () => randomBytes(8).toString("hex");
const event = (storeId: number, more: object = {}) => ({
  id: newEventId(),
  storeId,
  customerId: 1,
  date: 20261120,
  lines: [[5, 2]],
  ...more,
});
const send = (body: Buffer, messageId = "m") => publisher.publish({ queue: queues.ingest.name, messageId, body });
const batch = (name: string, sequence: number, events: readonly object[]) =>
  encodeBatch(
    { producer: name, sequence },
    Date.now(),
    events.map((one) => JSON.stringify(one)),
  );
const rowsOf = async (storeId: number) => {
  const database = openDatabase(system);
  try {
    return await database.writer.query("SELECT id FROM purchases WHERE store_id = ?", [storeId]);
  } finally {
    await database.close();
  }
};
const ranked = async (storeId: number): Promise<unknown> =>
  (await fetch(`${system.url}/stores/${storeId}/top-items`)).json();

test("an event that the database refuses for its data becomes a dead letter; the others of its batch are stored and ranked", async () => {
  // The 30th of February passes the stored event's schema, which knows a date as a number, and no database takes it.
  const bad = event(1, { date: 20260230 });
  const name = producer();
  await send(batch(name, 0, [event(1), event(1), bad, event(1)]));
  await vi.waitFor(() => expect(letters.map(({ id }) => id)).toContain(bad.id), 10_000);
  const letter = letters.find(({ id }) => id === bad.id);
  expect(letter).toMatchObject({ event: bad, reason: expect.stringMatching(/date/i) });
  await vi.waitFor(async () => expect(await ranked(1)).toMatchObject({ items: [{ itemID: 5, quantity: 6 }] }), 10_000);
  expect(await rowsOf(1)).toHaveLength(3);
  const database = openDatabase(system);
  const entries = await database.writer.query(
    "SELECT events, changes, refused FROM batches WHERE producer = UNHEX(?)",
    [name],
  );
  await database.close();
  expect(entries).toEqual([{ events: 4, changes: 3, refused: 1 }]);
});

test("a message that is no batch becomes a dead letter with its bytes", async () => {
  await send(Buffer.from("no batch"), "strange");
  await vi.waitFor(() => expect(letters.find(({ id }) => id === "strange")).toBeDefined(), 10_000);
  const letter = letters.find(({ id }) => id === "strange");
  expect(Buffer.from(letter?.body ?? "", "base64").toString()).toBe("no batch");
});

test("a batch that comes many times is stored once and counted once", async () => {
  const body = batch(producer(), 0, [event(2), event(2)]);
  await Promise.all(Array.from({ length: 10 }, () => send(body)));
  await send(body);
  await send(batch(producer(), 0, [event(3)]));
  await vi.waitFor(async () => expect(await ranked(3)).toMatchObject({ items: [{ quantity: 2 }] }), 10_000);
  await vi.waitFor(async () => expect(await ranked(2)).toMatchObject({ items: [{ itemID: 5, quantity: 4 }] }));
  expect(await rowsOf(2)).toHaveLength(2);
});

test("another batch under a known id is a dead letter, and the known one stays as it is", async () => {
  const name = producer();
  await send(batch(name, 0, [event(4)]));
  await vi.waitFor(async () => expect(await rowsOf(4)).toHaveLength(1), 10_000);
  await send(batch(name, 0, [event(4)]));
  await vi.waitFor(() => expect(letters.find(({ id }) => id === `${name}:0`)).toBeDefined(), 10_000);
  expect(await rowsOf(4)).toHaveLength(1);
});

test("the same event twice in one batch, and in two batches, is one purchase", async () => {
  const same = event(5);
  await send(batch(producer(), 0, [same, event(5), same]));
  await send(batch(producer(), 0, [same, event(5)]));
  await vi.waitFor(async () => expect(await ranked(5)).toMatchObject({ items: [{ itemID: 5, quantity: 6 }] }), 10_000);
  expect(await rowsOf(5)).toHaveLength(3);
});
