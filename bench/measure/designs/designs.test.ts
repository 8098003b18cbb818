import { expect, test } from "vitest";
import { meaningOf } from "./designs.ts";

test.each([
  ["batched", "confirmed", "on disk at a majority of the broker's nodes"],
  ["per-message", "persistent", "sent to the broker, which will write it to disk"],
  ["synchronous", "confirmed", "its row is committed in MySQL and counted in Redis"],
  ["bare", "confirmed", "checked, and stored nowhere"],
] as const)("%s, %s states what a 2xx means", (design, durability, meaning) => {
  expect(meaningOf(design, durability)).toMatch(meaning);
});
