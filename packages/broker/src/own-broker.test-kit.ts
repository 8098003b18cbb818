import { randomBytes } from "node:crypto";
import { silentLog } from "@tally/runtime";
import { openTcpProxy, type OnPiece } from "@tally/local";
import type { QueueSpec } from "@tally/contract";
import { connect, type GetMessage } from "amqplib";
import { expect, inject, onTestFinished, vi } from "vitest";
import { connectConsumer, type Delivery } from "./connect-consumer.ts";
import { connectPublisher } from "./connect-publisher.ts";

export const body = Buffer.from("body");

/** The run's broker with queues for one test, accessed without the package under test. Everything is deleted when the
 * test ends. */
export async function ownBroker() {
  const url = inject("services").amqpUrl;
  const prefix = `messaging-test.${randomBytes(6).toString("hex")}`;
  const names = new Set<string>();
  const connection = await connect(url, { noDelay: true });
  connection.on("error", () => undefined);
  const channel = await connection.createChannel();
  onTestFinished(async () => {
    for (const name of names) await channel.deleteQueue(name);
    await connection.close();
  });

  /** A unique name of a queue, which is deleted at the end. */
  function queueName(what: string): string {
    const name = `${prefix}.${what}`;
    names.add(name);
    return name;
  }
  /** Takes all messages that wait in a queue. */
  async function take(queue: string): Promise<readonly GetMessage[]> {
    const taken: GetMessage[] = [];
    for (;;) {
      const message = await channel.get(queue, { noAck: true });
      if (message === false) return taken;
      taken.push(message);
    }
  }
  return {
    url,
    channel,
    queueName,
    /** The name of this test's first queue. */
    queue: queueName("q"),
    take,
    takeIds: async (queue: string) => (await take(queue)).map(({ properties }) => String(properties.messageId)),
    send(queue: string, ...messageIds: readonly string[]): void {
      for (const messageId of messageIds) channel.sendToQueue(queue, Buffer.from(messageId), { messageId });
    },
    async proxy(onResponse: OnPiece = (piece) => piece) {
      const proxy = await openTcpProxy(url, { onResponse });
      onTestFinished(() => proxy.close());
      return proxy;
    },
  };
}

/** A publisher for one test. */
export function openPublisher(url: string, queues: readonly QueueSpec[], topics: readonly string[] = []) {
  const log = keptLog();
  const publisher = connectPublisher({ url, connectionName: "test", queues, topics, log });
  onTestFinished(() => publisher.close());
  return { publisher, log };
}

interface ConsumerOptions {
  readonly more?: readonly QueueSpec[];
  readonly prefetch?: number;
}

/** A consumer of one queue for one test. `more`: other queues that it declares before. */
export function openConsumer(url: string, queue: QueueSpec, { more = [], prefetch = 10 }: ConsumerOptions = {}) {
  const deliveries: Delivery[] = [];
  const log = keptLog();
  const consumer = connectConsumer({
    url,
    connectionName: "test",
    queues: [...more, queue],
    queue: queue.name,
    prefetch,
    onDelivery: (delivery) => deliveries.push(delivery),
    log,
  });
  onTestFinished(() => consumer.close());
  const arrived = (count: number) => vi.waitFor(() => expect(deliveries.length).toBeGreaterThanOrEqual(count), 15_000);
  const ids = () => deliveries.map(({ messageId }) => messageId);
  return { consumer, deliveries, log, arrived, ids };
}

/** A log that keeps its lines. */
function keptLog() {
  const lines: string[] = [];
  const keep = (level: string) => (fields: object, message: string) => {
    const reason: unknown = Reflect.get(fields, "reason");
    lines.push(`${level} ${message}${typeof reason === "string" ? `: ${reason}` : ""}`);
  };
  return { ...silentLog, lines, info: keep("info"), warn: keep("warn"), error: keep("error") };
}

/** The frame with which a broker ends the connection, or its first channel (AMQP 0-9-1, connection.close and
 * channel.close). */
export function closeFrame(what: "connection" | "channel", code: number, reason: string): Buffer {
  const [classId, methodId, channel] = what === "connection" ? [10, 50, 0] : [20, 40, 1];
  const text = Buffer.from(reason);
  const method = Buffer.from([0, classId, 0, methodId, code >> 8, code & 0xff, text.length]);
  // Class and method of the cause: none.
  const payload = Buffer.concat([method, text, Buffer.alloc(4)]);
  const head = Buffer.from([1, 0, channel, 0, 0, 0, 0]);
  head.writeUInt32BE(payload.length, 3);
  return Buffer.concat([head, payload, Buffer.from([0xce])]);
}
