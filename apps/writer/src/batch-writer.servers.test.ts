import { setTimeout as delay } from "node:timers/promises";
import { letterOfMessage, listLetters, replayOf, type NewLetter } from "@tally/database";
import { openTcpProxy } from "@tally/local";
import { BatchIds, textOfBatchId, type Domain } from "@tally/contract";
import { silentLog } from "@tally/runtime";
import { expect, test } from "vitest";
import { bodyOf, deliveryOf, newBatchId, openWriter } from "./purchases.test-kit.ts";
import { purchases, purchasesDatabase, rowsOf, sale } from "./purchases.test-kit.ts";
import { letterKeeper } from "./rejected-events.ts";

const own = purchasesDatabase();

const open = (options: Parameters<typeof openWriter>[1] = {}) => openWriter(own, options);

test("a batch is committed, then its ranking message and its changes are confirmed, then its delivery is acknowledged", async () => {
  const published = Promise.withResolvers<"done">();
  const { steps, take } = await open({ feed: () => published.promise });
  const batch = newBatchId();
  const taken = take(bodyOf([sale(1)], batch));
  await expect.poll(() => steps).toHaveLength(2);
  await new Promise(setImmediate);
  expect(steps).toEqual(["committed", `confirmed ${textOfBatchId(batch)}`]);
  published.resolve("done");
  await taken;
  expect(steps.at(-1)).toBe("acknowledged");
});

test("a delivery is not acknowledged when the writer stops before its changes are confirmed", async () => {
  const { writer, steps } = await open({ feed: () => Promise.resolve("aborted") });
  writer.take(deliveryOf(bodyOf([sale(1)]), () => steps.push("acknowledged")));
  await writer.drain();
  expect(steps).toEqual(["committed", expect.stringContaining("confirmed")]);
});

test("batches that wait share a transaction; all deliveries of a batch are acknowledged, and it is stored once", async () => {
  const { database, figures, take } = await open();
  // The clock of the gateway is ahead.
  const bodies = [1, 2, 3].map(() => bodyOf([sale(2), sale(2)], newBatchId(), Date.now() + 60_000));
  await take(...bodies, ...bodies.slice(0, 1));
  expect(figures).toMatchObject([{ batches: 3, events: 6, changes: 6, conflicts: 0, oldestMs: 0 }]);
  expect(await rowsOf(database.writer, 2)).toHaveLength(6);
});

test("batches that arrive one after the other share transactions", async () => {
  const { writer, figures } = await open({ transactionEveryMs: 2000 });
  for (let n = 0; n < 6; n++) {
    writer.take(deliveryOf(bodyOf([sale(7)])));
    await new Promise(setImmediate);
  }
  await writer.drain();
  expect(figures.length).toBeLessThanOrEqual(2);
});

test.each([
  ["a full transaction", { eventsPerTransaction: 2 }],
  ["a transaction for half of the prefetch", { prefetch: 4 }],
])("%s does not wait", async (_, limits) => {
  const { figures, take } = await open({ transactionEveryMs: 3_600_000, ...limits });
  for (let n = 0; n < 2; n++) await take(bodyOf([sale(8)]), bodyOf([sale(8)]));
  expect(figures.map(({ batches }) => batches)).toEqual([2, 2]);
});

test("a delivery that comes again, because its acknowledgement was lost, stores nothing and publishes its ranking message again", async () => {
  const { database, publisher, queues, figures, take } = await open();
  const body = bodyOf([sale(3)]);
  await take(body);
  await take(body);
  expect(figures.map(({ changes }) => changes)).toEqual([1, 0]);
  expect(await rowsOf(database.writer, 3)).toHaveLength(1);
  // The broker says 0 of a queue that does not respond to it within 250 ms.
  await expect.poll(() => publisher.queueDepth(queues.rank.name)).toBe(2);
});

test("an event that the database rejects becomes a dead letter with a log line; all others of its transaction are stored", async () => {
  const lines: unknown[] = [];
  const error = (fields: object, message: string) => void lines.push({ ...fields, message });
  const { database, take } = await open({ log: { ...silentLog, error } });
  // It passes the schema, in which a date is a number.
  const bad = sale(5, { date: 20260230 });
  await take(bodyOf([sale(5)]), bodyOf([sale(5), bad, sale(5)]), bodyOf([sale(5)]));
  expect(await rowsOf(database.writer, 5)).toHaveLength(4);
  const letters = await listLetters(database.writer, { stage: "rejected" }, 10);
  expect(letters.map(({ id }) => id)).toEqual([bad.id]);
  const reason = letters[0]?.reason;
  expect(lines).toEqual([{ id: bad.id, domain: "purchases", stage: "rejected", reason, message: "dead letter" }]);
});

test("a message that is no batch, or another batch under a stored id, becomes a dead letter; its replay is stored once", async () => {
  const { database, queues, figures, take } = await open();
  const batch = newBatchId();
  const [stored, foreign, strange] = [bodyOf([sale(6)], batch), bodyOf([sale(6)], batch), Buffer.from("no batch")];
  await take(stored, foreign);
  await take(foreign, strange, bodyOf([sale(6)]));
  const letters = await listLetters(database.writer, { stage: "message" }, 10);
  expect(letters.map(({ queue }) => queue)).toEqual([queues.ingest.name, queues.ingest.name]);
  expect(new Set(letters.map(({ body }) => body.toString()))).toEqual(new Set([foreign, strange].map(String)));
  expect(await rowsOf(database.writer, 6)).toHaveLength(2);
  const letter = letters.find(({ body }) => body.equals(foreign)) ?? expect.fail("there is no letter");
  for (let n = 0; n < 2; n++) await take(replayOf(letter, "tally", new BatchIds(), 1).body);
  expect(figures.slice(-2).map(({ changes }) => changes)).toEqual([1, 0]);
  expect(await rowsOf(database.writer, 6)).toHaveLength(3);
});

test("a batch whose moves the database rejects becomes a dead letter; the next one is stored", async () => {
  const rank: Domain["rank"] = (changes, moves, kept) => {
    purchases.rank(changes, moves, kept);
    // Too many for a statement.
    for (let board = 0; changes.length > 1 && board < 200_000; board++) moves.add(`store:${board}`, "5", 1);
  };
  const { take, database } = await openWriter(own, { domain: { ...purchases, rank } });
  const body = bodyOf([sale(61), sale(61)]);
  await take(body, bodyOf([sale(62)]));
  expect([await rowsOf(database.writer, 61), (await rowsOf(database.writer, 62)).length]).toEqual([[], 1]);
  const letters = (await listLetters(database.writer, { stage: "message" }, 100)).filter((one) =>
    one.body.equals(body),
  );
  expect(letters.map(({ reason }) => reason)).toEqual([
    expect.stringMatching(/a statement of \d+ characters is too large/),
  ]);
});

test("an abort ends all retries at once: what is not stored stays unacknowledged", async () => {
  const proxy = await openTcpProxy(own.writeUrl);
  const { writer, stopping, steps } = await open({ writeUrl: proxy.url });
  proxy.become({ name: "cut" });
  writer.take(deliveryOf(bodyOf([sale(10)]), () => steps.push("acknowledged")));
  writer.take(deliveryOf(Buffer.from("no batch"), () => steps.push("acknowledged")));
  let isDrained = false;
  const drained = writer.drain().then(() => (isDrained = true));
  await delay(1500);
  expect(isDrained).toBe(false);
  stopping.abort();
  await drained;
  expect(steps).toEqual([]);
});

test("copies that are delivered while the database is down are one dead letter, and those that are not lost are acknowledged", async () => {
  const proxy = await openTcpProxy(own.writeUrl);
  const kept: NewLetter[] = [];
  const { signal } = new AbortController();
  const keeper = letterKeeper(own.connect({ writeUrl: proxy.url }), silentLog, signal, (one) => kept.push(one));
  proxy.become({ name: "cut" });
  const body = Buffer.from("no batch");
  const message = { domain: "purchases", stage: "message", queue: "q", messageId: "m", reason: "no JSON" } as const;
  const acknowledged: number[] = [];
  for (let n = 0; n < 50; n++) {
    const delivery = { ...deliveryOf(body, () => acknowledged.push(n)), lost: n % 49 > 0 };
    keeper.keep(letterOfMessage({ ...message, body }), delivery);
  }
  proxy.become({ name: "open" });
  await keeper.drain();
  expect([kept.length, acknowledged]).toEqual([1, [0, 49]]);
});
