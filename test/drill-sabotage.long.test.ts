import { expect, test } from "vitest";
import { drillWithinMs, runDrill } from "./run-drill.ts";

test.each([
  ["ledger", "writer.after-commit", "lost"],
  ["applied-mark", "duplicate-rank-deliveries,ranker.before-acknowledgement", "doubled"],
  ["early-ack", "writer-killed,writer.before-commit", "lost"],
  ["early-2xx", "gateway-killed,gateway.before-publish,broker-killed", "lost"],
] as const)(
  "the drill finds the sabotage %s",
  async (sabotage, kinds, found) => {
    const flags = ["--seed", "3", "--faults", "3", "--rate", "1500", "--kinds", kinds, "--sabotage", sabotage];
    const { exitCode, output, errors, report } = await runDrill(...flags);
    expect(report?.audit[found], `${output}\n${errors}`).toBeGreaterThan(0);
    expect(exitCode).toBe(1);
  },
  drillWithinMs,
);

test(
  "the drill finds the sabotage key-comparison: acknowledged contents that are not kept",
  async () => {
    const flags = ["--seed", "3", "--faults", "1", "--rate", "1500", "--kinds", "writer-frozen"];
    const { exitCode, output, errors, report } = await runDrill(...flags, "--sabotage", "key-comparison");
    expect(report?.contents.wrong, `${output}\n${errors}`).toBeGreaterThan(0);
    expect(report?.audit).toMatchObject({ lost: 0, doubled: 0 });
    expect(exitCode).toBe(1);
  },
  drillWithinMs,
);
