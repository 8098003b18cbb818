import { expect, test } from "vitest";
import { designNames, durabilityNames, durabilityOf } from "./designs.ts";
import { gatewayParts } from "./gateway-parts.ts";

test("a design that does not wait for confirms is reported as persistent at most", () => {
  const meaning = durabilityNames.map((requested) => durabilityOf("unconfirmed", requested));
  expect(meaning).toEqual(["persistent", "persistent", "transient"]);
  expect(durabilityNames.map((requested) => durabilityOf("per-message", requested))).toEqual(durabilityNames);
});

test("every design and durability but tally itself replaces parts of the gateway", () => {
  const replaced = designNames.map((design) => [
    design,
    ...durabilityNames.map((durability) => Object.keys(gatewayParts(design, durability)).join()),
  ]);
  const connect = "connectPublisher";
  expect(replaced).toEqual([
    ["batched", "", connect, connect],
    ["per-message", "openIntake", `openIntake,${connect}`, `openIntake,${connect}`],
    ["unconfirmed", ...Array(3).fill(`openIntake,${connect}`)],
    [
      "synchronous",
      ...["", connect, connect].map((last) => ["openIntake,writeConnections", last].filter(Boolean).join()),
    ],
    [
      "synchronous-unranked",
      ...["", connect, connect].map((last) => ["openIntake,writeConnections", last].filter(Boolean).join()),
    ],
    ["bare", ...["", connect, connect].map((last) => ["openIntake", last].filter(Boolean).join())],
  ]);
});
