import { randomBytes } from "node:crypto";
import { silentLog } from "@tally/runtime";
import { connectPublisher, type Delivery } from "@tally/broker";
import { queuesOf } from "@tally/contract";
import { expect, inject, onTestFinished, test, vi } from "vitest";
import { connectSpreadConsumer } from "./spread-consumer.ts";
import { connectSpreadingPublisher } from "./spreading-publisher.ts";

const url = inject("services").amqpUrl;

test("batches are spread evenly over the queues of a domain, and one consumer gets all of them", async () => {
  const namespace = `several-${randomBytes(6).toString("hex")}`;
  const { ingest, rank, dead } = queuesOf(namespace, "purchases");
  const shared = { url, connectionName: "test", queues: [ingest, rank, dead], log: silentLog };
  const publisher = connectSpreadingPublisher(shared);
  onTestFinished(() => publisher.close());
  await publisher.ready;
  const ids = Array.from({ length: 40 }, (_, number) => `m${number}`);
  const body = Buffer.from("batch");
  const publish = (queue: string, messageId: string) => publisher.publish({ queue, messageId, body });
  expect(new Set(await Promise.all(ids.map((id) => publish(ingest.name, id))))).toEqual(new Set(["confirmed"]));
  expect(await publish(rank.name, "r")).toBe("confirmed");
  await vi.waitFor(async () => expect(await publisher.queueDepth(ingest.name)).toBe(40), 20_000);
  const plain = connectPublisher(shared);
  onTestFinished(() => plain.close());
  await plain.ready;
  for (const part of ["", "-2", "-3", "-4"]) expect(await plain.queueDepth(`${ingest.name}${part}`)).toBe(10);
  expect(await publisher.queueDepth(rank.name)).toBe(1);

  const deliveries: Delivery[] = [];
  const consumer = connectSpreadConsumer({
    ...shared,
    queue: ingest.name,
    prefetch: 16,
    onDelivery: (delivery) => deliveries.push(delivery),
  });
  onTestFinished(() => consumer.close());
  await consumer.ready;
  await vi.waitFor(() => expect(deliveries).toHaveLength(16), 20_000);
  expect(consumer.held).toBe(16);
  await vi.waitFor(() => {
    for (const delivery of deliveries) delivery.ack();
    expect(deliveries).toHaveLength(40);
  }, 20_000);
  expect(deliveries.map(({ messageId }) => messageId).toSorted()).toEqual(ids.toSorted());
  await vi.waitFor(() => expect(consumer.held).toBe(0), 20_000);
  expect(consumer.state).toBe("up");
});
