import { expect, test } from "vitest";
import { runDrill } from "./kit/run-drill.ts";
import { endOf } from "./kit/programs.ts";

type Found = "lost" | "doubled" | "wrong contents" | "units";

/** Runs a drill of a system without one mechanism. Fails unless the drill finds what that breaks. */
async function expectFound(sabotage: string, faults: number, kinds: string, found: Found): Promise<void> {
  const flags = ["--seed", "3", "--faults", `${faults}`, "--rate", "150", "--kinds", kinds, "--sabotage", sabotage];
  const { exitCode, output, errors, report } = await runDrill(...flags);
  const units = report?.differences.filter((one) => one.includes(" units, ")).length;
  const counts = { ...report?.audit, "wrong contents": report?.contents.wrong, units };
  expect(counts[found], `${sabotage}: ${endOf(output, errors)}`).toBeGreaterThan(0);
  if (found === "wrong contents" || found === "units") expect(report?.audit).toMatchObject({ lost: 0, doubled: 0 });
  expect(exitCode).toBe(1);
}

// Several at a time: more than half of such a drill is waiting for what was lost.
test("the drill finds the sabotages ledger, ranked-mark and epochs", () =>
  Promise.all([
    expectFound("ledger", 3, "writer.after-commit", "lost"),
    expectFound("ranked-mark", 3, "duplicate-rank-deliveries,ranker.before-acknowledgement", "doubled"),
    expectFound("epochs", 1, "replica-promoted-behind", "doubled"),
  ]));

// key-comparison: contents are acknowledged and not kept, and no event is missing. sale-lock: too much is taken back.
test("the drill finds the sabotages early-ack, early-2xx, key-comparison and sale-lock", () =>
  Promise.all([
    expectFound("early-ack", 3, "writer-killed,writer.before-commit", "lost"),
    expectFound("early-2xx", 3, "gateway-killed,gateway.before-publish,broker-killed", "lost"),
    expectFound("key-comparison", 1, "writer-frozen", "wrong contents"),
    expectFound("sale-lock", 5, "ranker-restarted", "units"),
  ]));
