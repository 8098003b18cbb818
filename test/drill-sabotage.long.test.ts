import { expect, test } from "vitest";
import { runDrill } from "./run-drill.ts";

test.each([
  ["ledger", 3, "writer.after-commit", "lost"],
  ["applied-mark", 3, "duplicate-rank-deliveries,ranker.before-acknowledgement", "doubled"],
  ["early-ack", 3, "writer-killed,writer.before-commit", "lost"],
  ["early-2xx", 3, "gateway-killed,gateway.before-publish,broker-killed", "lost"],
  // Contents that are acknowledged and not kept: no event is missing.
  ["key-comparison", 1, "writer-frozen", "wrong contents"],
] as const)("the drill finds the sabotage %s", async (sabotage, faults, kinds, found) => {
  const flags = ["--seed", "3", "--faults", `${faults}`, "--rate", "1500", "--kinds", kinds, "--sabotage", sabotage];
  const { exitCode, output, errors, report } = await runDrill(...flags);
  const count = found === "wrong contents" ? report?.contents.wrong : report?.audit[found];
  expect(count, `${output}\n${errors}`).toBeGreaterThan(0);
  if (found === "wrong contents") expect(report?.audit).toMatchObject({ lost: 0, doubled: 0 });
  expect(exitCode).toBe(1);
});
