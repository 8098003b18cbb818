import { expect, test } from "vitest";
import { combinationsOf, contenderNamed, contendersNamed } from "./contenders.ts";

test("a contender is a design, with or without a durability", () => {
  const contender = { name: "batched:transient", design: "batched", durability: "transient" };
  expect(contenderNamed("batched:transient")).toEqual(contender);
  expect(() => contenderNamed("fast")).toThrow('there is no "fast"; expected batched, balanced, primary-reads');
});

test("a build is batched at a commit, and may be compared with others", () => {
  const names = ["batched", "batched@v1.2.0", "batched@feature/a:b@c"];
  const plain = { design: "batched", durability: "confirmed" };
  expect(contendersNamed(names)).toEqual([
    { name: "batched", ...plain },
    { name: "batched@v1.2.0", ...plain, revision: "v1.2.0" },
    { name: "batched@feature/a:b@c", ...plain, revision: "feature/a:b@c" },
  ]);
  for (const name of ["bare@v1", "batched:transient@v1", "batched@", "@v1"])
    expect(() => contenderNamed(name)).toThrow(`"${name}": expected batched@ and a commit`);
});

const alone = { connections: ["512"], set: [] };

test("a sweep has every combination of the values; the rest has one value in all runs", () => {
  const swept = {
    ...alone,
    connections: ["32", "64"],
    set: [["WAITING_MAX", "100,1000"] as const, ["EMPTY", ""] as const],
  };
  const combinations = combinationsOf(swept);
  expect(combinations.map(({ name }) => name)).toEqual([
    "connections 32, WAITING_MAX 100",
    "connections 32, WAITING_MAX 1000",
    "connections 64, WAITING_MAX 100",
    "connections 64, WAITING_MAX 1000",
  ]);
  expect(combinations[1]).toMatchObject({
    connections: 32,
    set: [
      ["WAITING_MAX", "1000"],
      ["EMPTY", ""],
    ],
  });
});

test.each([
  [{}, "expected a setting with several values, such as --connections 32,64,128; got none"],
  [{ connections: ["32", "64", "32"] }, "connections: 32 is given twice"],
  [{ set: [["A", "1,2"] as const, ["A", "4"] as const] }, "A is set twice"],
])("the settings %j are rejected", (given, message) => {
  expect(() => combinationsOf({ ...alone, ...given })).toThrow(message);
});
