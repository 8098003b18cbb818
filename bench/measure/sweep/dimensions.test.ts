import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Command } from "commander";
import { expect, test } from "vitest";
import { askedOf } from "../command/asked.ts";
import { root, withFlags } from "../command/flags.ts";
import { withSweepFlags, type SweepFlags } from "../command/sweep-flags.ts";
import { compareSettings, nameOf, pointsOf, settingsOf } from "./dimensions.ts";

const alone = { connections: ["512"], gateways: ["1"], set: [] };

test("every flag with several values is a dimension, and the rest have one value in all runs", () => {
  const { dimensions, fixed } = settingsOf({
    ...alone,
    connections: ["32", "64"],
    prefetch: ["8"],
    set: ["WAITING_MAX=100,1000", "EMPTY="],
  });
  expect(dimensions).toEqual([
    { name: "connections", values: ["32", "64"] },
    { name: "WAITING_MAX", variable: "WAITING_MAX", values: ["100", "1000"] },
  ]);
  expect(fixed).toEqual([
    { name: "gateways", values: ["1"] },
    { name: "prefetch", variable: "WRITER_PREFETCH", values: ["8"] },
    { name: "EMPTY", variable: "EMPTY", values: [""] },
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
  [{ connections: ["1", "2"], gateways: ["1", "2"], shards: ["1", "2"] }, "got connections, gateways, shards"],
  [{ connections: ["32", "64", "32"] }, "connections: 32 is given twice"],
  [{ connections: ["0", "32"] }, "--connections: expected whole numbers from 1 on"],
  [{ prefetch: ["1", "2"], set: ["WRITER_PREFETCH=4"] }, "WRITER_PREFETCH is set twice"],
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

/** The flags of `pnpm bench sweep`, as main.ts reads them. */
function asked(...words: readonly string[]) {
  const program = withFlags(new Command())
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  const sweep = withSweepFlags(program.command("sweep")).action(() => undefined);
  program.parse(words, { from: "user" });
  return askedOf<SweepFlags>(sweep);
}

test("flags have lists of values after the word sweep, and may stand before it", () => {
  const { flags, isGiven } = asked("--seed", "7", "--set", "A=1", "sweep", "--connections", "32,064", "--set", "B=1,2");
  expect(flags).toMatchObject({
    seed: 7,
    connections: ["32", "64"],
    gateways: ["1"],
    set: ["A=1", "B=1,2"],
    rounds: 3,
  });
  expect([isGiven("seed"), isGiven("connections"), isGiven("gateways"), isGiven("set")]).toEqual([
    true,
    true,
    false,
    true,
  ]);
  expect(() => asked("sweep", "--connections", "32,")).toThrow("expected whole numbers, separated by commas");
  expect(() => asked("--connections", "32,64", "sweep")).toThrow("expected a whole number from 1 on");
});

test("the flags of a sweep set settings that exist", async () => {
  const words = ["--writer-threads", "--prefetch", "--batch-events", "--transaction-every", "--shards"];
  const command = withSweepFlags(new Command()).parse(
    words.flatMap((word) => [word, "1"]),
    { from: "user" },
  );
  const { flags } = askedOf<SweepFlags>(command);
  const { fixed } = settingsOf({ ...flags, connections: ["1", "2"], gateways: ["1"] });
  const variables = fixed.flatMap(({ variable }) => variable ?? []);
  expect(variables).toHaveLength(words.length);
  // Made of the settings of the apps.
  const documented = await readFile(join(root, "docs", "settings.md"), "utf8");
  for (const variable of variables) expect(documented).toContain(`\n| \`${variable}\` `);
});
