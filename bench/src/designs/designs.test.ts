import { expect, test } from "vitest";
import { durabilityNames, durabilityOf } from "./designs.ts";
import { gatewayParts } from "./gateway-parts.ts";

test("a design that does not wait for confirms is reported as persistent at most", () => {
  const meaning = durabilityNames.map((requested) => durabilityOf("unconfirmed", requested));
  expect(meaning).toEqual(["persistent", "persistent", "transient"]);
  expect(durabilityNames.map((requested) => durabilityOf("per-message", requested))).toEqual(durabilityNames);
});

test.each([
  ["batched", ""],
  ["balanced", ""],
  ["per-message", "openIntake"],
  ["unconfirmed", "openIntake,connectPublisher"],
  ["synchronous", "openIntake,writeConnections"],
  ["synchronous-unranked", "openIntake,writeConnections"],
  ["bare", "openIntake"],
] as const)("the gateway of %s replaces these parts: %s", (design, parts) => {
  expect(Object.keys(gatewayParts(design, "confirmed")).join()).toBe(parts);
  expect(Object.keys(gatewayParts(design, "transient"))).toContain("connectPublisher");
});
