import { execFileSync } from "node:child_process";
import { Command } from "commander";
import { expect, test } from "vitest";
import type { BenchPlan } from "./bench-plan.ts";
import { withFlags } from "./command/flags.ts";
import { planOf } from "./command/plan-of.ts";
import { askedOf } from "./asked-of.ts";
import { printedSources } from "./results/printed-sources.ts";
import { repeatOf } from "./repeat.ts";

/** The plan that the bench makes from its command line. */
function planFor(words: readonly string[]): BenchPlan {
  const program = withFlags(new Command()).parse(words, { from: "user" });
  return planOf(program.opts(), new AbortController().signal);
}

/** Splits a command into words, as a shell does. */
function wordsOf(command: string): readonly string[] {
  const output = execFileSync("sh", ["-c", `for word in ${command}; do printf '%s\\0' "$word"; done`], {
    encoding: "utf8",
  });
  return output.split("\0").slice(0, -1);
}

test.each([
  [[]],
  [["--domain", "albums", "--content-bytes", "4711", "--connections", "33", "--duration", "2.5", "--warm-up", "0"]],
  [["--rate", "3762.5", "--mix", "0.25", "--seed", "9", "--zipf", "--client-threads", "2", "--gateways", "3"]],
  [["--amount", "600", "--fill", "7", "--rate", "50", "--design", "per-message", "--durability", "transient"]],
  [["--set", "BATCH_EVERY_MS=0", "--set", "ODD=a 'b' $HOME=`c`", "--set", "EMPTY="]],
  [["--target", "http://127.0.0.1:8080/", "--mix", "1"]],
])("the command in a report repeats the run: %s", (words) => {
  const plan = planFor(words);
  const [pnpm, bench, ...again] = wordsOf(repeatOf(plan));
  expect([pnpm, bench]).toEqual(["pnpm", "bench"]);
  expect(askedOf(planFor(again))).toEqual(askedOf(plan));
});

test("for a build, the command compares its commit", () => {
  const build = { commit: "347ecb2", folder: "/elsewhere" };
  const plan = { ...planFor(["--amount", "600", "--set", "BATCH_EVERY_MS=0"]), build };
  const [pnpm, bench, compare, name, rounds, one, ...again] = wordsOf(repeatOf(plan));
  expect([pnpm, bench, compare, name, rounds, one].join(" ")).toBe("pnpm bench compare batched@347ecb2 --rounds 1");
  expect(askedOf({ ...planFor(again), build })).toEqual(askedOf(plan));
  expect(askedOf(plan).design).toBe("batched@347ecb2");
});

test("for a source's run, the command repeats all runs of the source", () => {
  const phase = { model: "source", run: 1, scale: 0.25 } as const;
  const plan = { ...planFor(["--domain", "swipes", "--seed", "3"]), phase };
  expect(repeatOf(plan)).toBe(
    "pnpm bench --source S2 --scale 0.25 --seed 3 --gateways 1 --design batched --durability confirmed",
  );
  expect(askedOf(plan)).toMatchObject({
    source: { name: "S2", run: 2, runs: 2, description: "900 threads and readers", scale: 0.25 },
    asked: null,
    warmUpSeconds: null,
  });
});

test("for a source's extra run, the command has the seed before the name of the subcommand", () => {
  const { domain, loads } = printedSources.find((source) => source.loads.some(({ isExtra }) => isExtra)) ?? never();
  const phase = { model: "source", run: loads.findIndex(({ isExtra }) => isExtra), scale: 0.1 } as const;
  const command = repeatOf({ ...planFor(["--domain", domain, "--seed", "3"]), phase });
  expect(command).toMatch(/^pnpm bench --seed 3 sources S\d --scale-of-others 0\.1$/);
  const program = withFlags(new Command()).enablePositionalOptions();
  program.command("sources").argument("[names...]").option("--scale-of-others <share>");
  program.parse(wordsOf(command).slice(2), { from: "user" });
  expect(program.opts()).toMatchObject({ seed: 3 });
});

function never(): never {
  throw new Error("no source has an extra run");
}
