import { expect, test } from "vitest";
import { accountsFor } from "../open-system.ts";
import { designOf, meaningOf } from "./designs.ts";

test.each([
  ["batched", "confirmed", "on disk at a majority of the broker's nodes"],
  ["per-message", "persistent", "sent to the broker, which will write it to disk"],
  ["synchronous", "confirmed", "its row is committed in MySQL and counted in Redis"],
  ["bare", "confirmed", "checked, and stored nowhere"],
] as const)("%s, %s states what a 2xx means", (design, durability, meaning) => {
  expect(meaningOf(design, durability)).toMatch(meaning);
});

test.each([
  ["primary-reads", "primary"],
  ["batched", "replica"],
] as const)("a gateway of %s reads from the %s", (design, expected) => {
  const addresses = { amqpUrl: "", databaseWriteUrl: "primary", databaseReadUrl: "replica", redisUrl: "" };
  const accounts = { gateway: addresses, writer: addresses, ranker: addresses, maintenance: addresses };
  expect(accountsFor(designOf(design), { addresses, accounts }).gateway.databaseReadUrl).toBe(expected);
});
