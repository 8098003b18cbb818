import { randomBytes } from "node:crypto";
import { connectPublisher } from "@tally/broker";
import { queuesOf } from "@tally/contract";
import { silentLog } from "@tally/runtime";
import { expect, inject, onTestFinished, test } from "vitest";
import { catchDeliveries } from "./messages.ts";

test("a delivery that cannot be used ends the fault with its error, and nothing else", async () => {
  const url = inject("services").amqpUrl;
  const namespace = `drill-test-${randomBytes(4).toString("hex")}`;
  const { rank, dead } = queuesOf(namespace, "steps");
  const publisher = connectPublisher({ url, connectionName: namespace, queues: [dead, rank], log: silentLog });
  onTestFinished(() => publisher.close());
  await publisher.publish({ queue: rank.name, messageId: "a", body: Buffer.from("a") });
  const use = () => Promise.reject(new Error("not confirmed"));
  const caught = catchDeliveries({ namespace, environment: { AMQP_URL: url } }, "steps", "rank", 2, use);
  await expect(caught).rejects.toThrow("not confirmed");
});
