import { randomBytes } from "node:crypto";
import { connect, type GetMessage } from "amqplib";
import { inject, onTestFinished } from "vitest";
import { silentLog } from "@tally/failures";
import { openTcpProxy, type OnAnswer } from "./tcp-proxy.test-kit.ts";

/** The run's broker with queues of the test's own, seen past the package under test. All is gone when the test ends. */
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

  return {
    url,
    channel,
    /** The name of a queue that nobody else has; it is deleted at the end. */
    queueName(what: string): string {
      const name = `${prefix}.${what}`;
      names.add(name);
      return name;
    },
    /** Takes all that waits in a queue. */
    async take(queue: string): Promise<readonly GetMessage[]> {
      const taken: GetMessage[] = [];
      for (;;) {
        const message = await channel.get(queue, { noAck: true });
        if (message === false) return taken;
        taken.push(message);
      }
    },
    send(queue: string, ...messageIds: readonly string[]): void {
      for (const messageId of messageIds) channel.sendToQueue(queue, Buffer.from(messageId), { messageId });
    },
    async proxy(onAnswer?: OnAnswer) {
      const proxy = await openTcpProxy(url, onAnswer);
      onTestFinished(() => proxy.close());
      return proxy;
    },
  };
}

/** A log that keeps its lines. */
export function keptLog() {
  const lines: string[] = [];
  const keep = (level: string) => (fields: object, message: string) => {
    const reason: unknown = Reflect.get(fields, "reason");
    lines.push(`${level} ${message}${typeof reason === "string" ? `: ${reason}` : ""}`);
  };
  return { ...silentLog, lines, info: keep("info"), warn: keep("warn"), error: keep("error") };
}
