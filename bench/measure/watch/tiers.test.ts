import { expect, test } from "vitest";
import { watchTiers } from "./tiers.ts";

const process = (pid: number, group: number, cpuSeconds: number, parent = 0) => {
  const rest = { name: "", state: "S", parent, startedAt: "", endedChildrenCpuSeconds: 0, memoryMiB: 10 };
  return { pid, group, cpuSeconds, ...rest };
};

test("a tier keeps the CPU time of its processes that have ended, and HAProxy belongs to the gateways", () => {
  const balancer: { name: string; pid: number | undefined } = { name: "balancer", pid: 2 };
  const tiers = watchTiers([{ name: "gateway-1", pid: 1 }, balancer, { name: "database-primary", pid: 3 }]);
  const both = tiers([process(1, 1, 5), process(2, 2, 7), process(4, 3, 1), process(9, 9, 100)]);
  expect(both).toMatchObject({ gateway: { cpuSeconds: 12, memoryMiB: 20 }, database: { cpuSeconds: 1 } });
  balancer.pid = undefined;
  const one = tiers([process(1, 1, 6), process(4, 3, 1)]);
  expect(one).toMatchObject({ gateway: { cpuSeconds: 13, memoryMiB: 10 }, redis: { cpuSeconds: 0, memoryMiB: 0 } });
});

test("a fork of Redis has no memory but that of its parent", () => {
  const tiers = watchTiers([{ name: "redis", pid: 1 }]);
  expect(tiers([process(1, 1, 5), process(2, 1, 3, 1)]).redis).toEqual({ cpuSeconds: 8, memoryMiB: 10 });
});
