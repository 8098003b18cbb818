import { randomBytes } from "node:crypto";
import type { Delivery } from "@tally/broker";
import { openPublisher } from "@tally/broker/own-broker";
import { queuesOf } from "@tally/contract";
import { expect, inject, test } from "vitest";
import { catchDeliveries } from "./messages.ts";

test("a delivery that cannot be used ends the fault with its error, and nothing else, and is not caught again", async () => {
  const url = inject("services").amqpUrl;
  const namespace = `drill-test-${randomBytes(4).toString("hex")}`;
  const { rank, dead } = queuesOf(namespace, "steps");
  const { publisher } = openPublisher(url, [dead, rank]);
  const publish = (messageId: string) =>
    publisher.publish({ queue: rank.name, messageId, body: Buffer.from(messageId) });
  const caught = (count: number, use: (delivery: Delivery) => Promise<void>) =>
    catchDeliveries({ namespace, environment: { AMQP_URL: url } }, "steps", "rank", count, use);
  await publish("a");
  await expect(caught(2, () => Promise.reject(new Error("not confirmed")))).rejects.toThrow("not confirmed");
  await publish("b");
  await caught(1, async ({ messageId }) => expect(messageId).toBe("b"));
});
