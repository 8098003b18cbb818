import { expect, test } from "vitest";
import { compareSettings, nameOf, pointsOf, settingsOf } from "./dimensions.ts";

const alone = { connections: ["512"], gateways: ["1"], set: [] };

test("every flag with several values is a dimension, and the rest have one value in all runs", () => {
  const { dimensions, fixed } = settingsOf({
    ...alone,
    connections: ["32", "64"],
    set: ["WAITING_MAX=100,1000", "EMPTY="],
  });
  expect(dimensions).toEqual([
    { name: "connections", values: ["32", "64"] },
    { name: "WAITING_MAX", values: ["100", "1000"] },
  ]);
  expect(fixed).toEqual([
    { name: "gateways", values: ["1"] },
    { name: "EMPTY", values: [""] },
  ]);
});

test("a sweep has every combination of the values", () => {
  const dimensions = [
    { name: "connections", values: ["32", "64"] },
    { name: "shards", values: ["1", "4", "16"] },
  ];
  const names = pointsOf(dimensions).map((point) => nameOf(dimensions, point));
  expect(names).toEqual([
    "connections 32, shards 1",
    "connections 32, shards 4",
    "connections 32, shards 16",
    "connections 64, shards 1",
    "connections 64, shards 4",
    "connections 64, shards 16",
  ]);
});

test.each([
  [{}, "expected one or two settings with several values, such as --connections 32,64,128; got none"],
  [{ connections: ["1", "2"], gateways: ["1", "2"], set: ["A=1,2"] }, "got connections, gateways, A"],
  [{ connections: ["32", "64", "32"] }, "connections: 32 is given twice"],
  [{ set: ["A=1,2", "A=4"] }, "A is set twice"],
])("the settings %j are rejected", (given, message) => {
  expect(() => settingsOf({ ...alone, ...given })).toThrow(message);
});

test.each([
  [
    ["8", "9"],
    ["16", "1"],
  ],
  [
    ["8", "b"],
    ["8", "a"],
  ],
])(
  "settings are compared by their first value that differs, as numbers or by their place in the list: %j %j",
  (a, b) => {
    const dimensions = [
      { name: "n", values: ["16", "8"] },
      { name: "word", values: ["9", "1", "b", "a"] },
    ];
    expect(compareSettings(dimensions, a, b)).toBeLessThan(0);
    expect(compareSettings(dimensions, b, a)).toBeGreaterThan(0);
    expect(compareSettings(dimensions, a, a)).toBe(0);
  },
);
