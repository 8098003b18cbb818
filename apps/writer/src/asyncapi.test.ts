import { fileURLToPath } from "node:url";
import { feedOf } from "@tally/contract";
import { domains } from "@tally/domains";
import { expect, test } from "vitest";

const text = (description: string) => ({ type: "string", description });

/** The AsyncAPI document of the change feeds. Its schemas are those of the API reference. */
function documentOf() {
  const fed = domains.flatMap(({ name, feed }) => (feed === undefined ? [] : [{ name, feed }]));
  const schemas = fed.flatMap(({ feed }) => Object.entries(feed.schemas));
  const cloudEvents = schemas.map(([type, data]) => ({
    title: type,
    type: "object",
    required: ["specversion", "id", "source", "type", "subject", "time", "data"],
    properties: {
      specversion: { const: "1.0" },
      id: text("equal ids of one source are one event"),
      source: text("/NAMESPACE/purchases"),
      type: { const: type },
      subject: text("the store; of an alert without one, the item"),
      time: {
        ...text("when the gateway accepted it; later if it was parked or replayed; of an alert when it was seen"),
        format: "date-time",
      },
      data,
    },
  }));
  const bindingVersion = "0.3.0";
  const channels = fed.map(({ name }) => {
    const { exchange, key } = feedOf("tally", name);
    const amqp = { is: "routingKey", exchange: { name: exchange, type: "topic", durable: true, autoDelete: false } };
    const messages = { batch: { $ref: "#/components/messages/batch" } };
    return [name, { address: key, messages, bindings: { amqp: { ...amqp, bindingVersion } } }] as const;
  });
  const bindings = { amqp: { deliveryMode: 2, bindingVersion } };
  const operations = fed.map(({ name }) => {
    const channel = { $ref: `#/channels/${name}` };
    return [`publish-${name}`, { action: "send", channel, bindings }] as const;
  });
  return {
    asyncapi: "3.0.0",
    info: {
      title: "tally change feed",
      version: "1",
      description: "Every stored event and each alert, at least once, in any order. `tally` is the NAMESPACE",
    },
    channels: Object.fromEntries(channels),
    operations: Object.fromEntries(operations),
    components: {
      messages: {
        batch: {
          summary: "CloudEvents 1.0: what a batch has stored, or alerts. At most 4 MB",
          contentType: "application/cloudevents-batch+json; charset=utf-8",
          payload: { type: "array", minItems: 1, items: { oneOf: cloudEvents } },
        },
      },
    },
  };
}

test("docs/asyncapi.json is the document of the feeds; `pnpm openapi` writes it", async () => {
  const file = fileURLToPath(new URL("../../../docs/asyncapi.json", import.meta.url));
  const document = JSON.stringify(documentOf(), null, 2).replaceAll('"expected":', '"description":');
  await expect(`${document}\n`).toMatchFileSnapshot(file);
});
