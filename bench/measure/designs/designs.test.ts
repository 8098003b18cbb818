import { expect, test } from "vitest";
import { designNames, designOf, durabilityNames, durabilityOf, meaningOf } from "./designs.ts";
import { gatewayParts } from "./gateway-parts.ts";

test("a design that does not wait for confirms is reported as persistent at most", () => {
  const meaning = durabilityNames.map((requested) => durabilityOf("unconfirmed", requested));
  expect(meaning).toEqual(["persistent", "persistent", "transient"]);
  expect(durabilityNames.map((requested) => durabilityOf("per-message", requested))).toEqual(durabilityNames);
});

test.each([
  ["batched", ""],
  ["balanced", ""],
  ["classic", ""],
  ["several-queues", "connectPublisher"],
  ["fan-out", ""],
  ["primary-reads", ""],
  ["per-message", "openIntake"],
  ["unconfirmed", "openIntake,connectPublisher"],
  ["synchronous", "openIntake,writeConnections"],
  ["balanced-synchronous", "openIntake,writeConnections"],
  ["synchronous-unranked", "openIntake,writeConnections"],
  ["bare", "openIntake"],
] as const)("the gateway of %s replaces these parts: %s", (design, parts) => {
  expect(Object.keys(gatewayParts(design, "confirmed")).join()).toBe(parts);
  expect(Object.keys(gatewayParts(design, "transient"))).toContain("connectPublisher");
});

test.each(designNames)("%s has its own main for the gateway exactly when it replaces parts of it", (design) => {
  const hasParts = Object.keys(gatewayParts(design, "confirmed")).length > 0;
  expect(designOf(design).replaces?.includes("gateway") ?? false).toBe(hasParts);
});

test.each([
  ["batched", "confirmed", "on disk at a majority of the broker's nodes"],
  ["classic", "confirmed", "on the disk of one node of the broker"],
  ["classic", "persistent", "sent to the broker, which will write it to disk"],
  ["fan-out", "confirmed", /in the queue of the writer and in that of the third subscriber$/],
  ["unconfirmed", "confirmed", "sent to the broker, which will write it to disk"],
  ["synchronous", "confirmed", "its row is committed in MySQL and counted in Redis"],
  ["bare", "confirmed", "checked, and stored nowhere"],
] as const)("%s, %s states what a 2xx means", (design, durability, meaning) => {
  expect(meaningOf(design, durability)).toMatch(meaning);
});
