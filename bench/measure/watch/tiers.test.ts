import { expect, test } from "vitest";
import { watchTiers } from "./tiers.ts";

const process = (pid: number, group: number, cpuSeconds: number) => {
  const rest = { name: "", state: "S", parent: 1, startedAt: "", endedChildrenCpuSeconds: 0, memoryMiB: 10 };
  return { pid, group, cpuSeconds, ...rest };
};

test("a tier keeps the CPU time of its processes that have ended", () => {
  const leaders = { gateway: [1, 2], database: [3] };
  const tiers = watchTiers((tier) => (tier === "gateway" || tier === "database" ? leaders[tier] : []));
  const both = tiers([process(1, 1, 5), process(2, 2, 7), process(4, 3, 1), process(9, 9, 100)]);
  expect(both).toMatchObject({ gateway: { cpuSeconds: 12, memoryMiB: 20 }, database: { cpuSeconds: 1 } });
  leaders.gateway = [1];
  const one = tiers([process(1, 1, 6), process(4, 3, 1)]);
  expect(one).toMatchObject({ gateway: { cpuSeconds: 13, memoryMiB: 10 }, redis: { cpuSeconds: 0, memoryMiB: 0 } });
});
