import { openIntake } from "@tally/gateway";
import { expect, test } from "vitest";
import { designNames, designOf, meaningOf } from "./designs.ts";
import { intakeOf } from "./intakes.ts";

test.each(designNames)("%s has its own main for the gateway exactly when it has another intake", (design) => {
  expect(designOf(design).hasOwnIntake ?? false).toBe(intakeOf(design, "confirmed") !== openIntake);
  // Does not wait for confirms.
  expect(intakeOf(design, "transient")).not.toBe(openIntake);
});

test.each([
  ["batched", "confirmed", "on disk at a majority of the broker's nodes"],
  ["per-message", "persistent", "sent to the broker, which will write it to disk"],
  ["synchronous", "confirmed", "its row is committed in MySQL and counted in Redis"],
  ["bare", "confirmed", "checked, and stored nowhere"],
] as const)("%s, %s states what a 2xx means", (design, durability, meaning) => {
  expect(meaningOf(design, durability)).toMatch(meaning);
});
