import { domains } from "@tally/domains";
import { expect, test } from "vitest";
import { designNames } from "./designs.ts";
import { queueDefinitions } from "./queue-definitions.ts";

const declared = (...of: Parameters<typeof queueDefinitions>) => {
  const found = queueDefinitions(...of);
  if (found === undefined) throw new Error("expected definitions");
  const { queues, bindings, exchanges } = found.definitions;
  return { isComplete: found.isComplete, queues, bindings, exchanges };
};
const purchases = { vhost: "/", name: "x.ingest.purchases", auto_delete: false };

test("the apps declare the queues themselves, unless a design or a durability has others", () => {
  const others = designNames.filter((design) => queueDefinitions(design, "confirmed", "x") !== undefined);
  expect(others).toEqual(["classic", "fan-out"]);
  for (const design of designNames) expect(queueDefinitions(design, "transient", "x")?.isComplete).toBe(true);
});

test("classic queues are durable, and have the limits and dead letters of the quorum queues that they replace", () => {
  const { isComplete, queues, bindings, exchanges } = declared("classic", "confirmed", "x");
  expect(isComplete).toBe(true);
  expect(queues).toHaveLength(3 * domains.length);
  expect(queues).toContainEqual({
    ...purchases,
    durable: true,
    arguments: {
      "x-queue-type": "classic",
      "x-max-length": 10_000,
      "x-overflow": "reject-publish",
      "x-dead-letter-exchange": "",
      "x-dead-letter-routing-key": "x.dead.purchases",
    },
  });
  expect(exchanges).toMatchObject([{ name: "x.ingest", type: "direct", durable: true }]);
  expect(bindings).toHaveLength(domains.length);
});

test("transient queues end with the broker", () => {
  const { queues } = declared("batched", "transient", "x");
  expect(queues).toHaveLength(3 * domains.length);
  expect(queues).toContainEqual({ ...purchases, durable: false, arguments: { "x-queue-type": "classic" } });
});

test("the third subscriber's queue gets what is published for each domain's queue of batches", () => {
  const { isComplete, queues, bindings } = declared("fan-out", "confirmed", "x");
  expect(isComplete).toBe(false);
  expect(queues).toMatchObject([{ name: "x.third", durable: true, arguments: { "x-queue-type": "quorum" } }]);
  const routed = bindings.map(({ source, destination, routing_key: key }) => [source, destination, key]);
  expect(routed).toEqual(domains.map(({ name }) => ["x.ingest", "x.third", `x.ingest.${name}`]));
});
