import { expect, test } from "vitest";
import { contenderNamed, turns } from "./compare-designs.ts";

test("contenders run in one order and then in the opposite one", () => {
  const contenders = ["batched", "bare"].map(contenderNamed);
  expect(turns(contenders, 3).map(({ name }) => name)).toEqual([
    "batched",
    "bare",
    "bare",
    "batched",
    "batched",
    "bare",
  ]);
});

test("a contender is a design, with a durability or without", () => {
  expect(contenderNamed("batched:transient")).toEqual({
    name: "batched:transient",
    design: "batched",
    durability: "transient",
  });
  expect(() => contenderNamed("fast")).toThrow('there is no "fast"; expected batched, per-message');
});
