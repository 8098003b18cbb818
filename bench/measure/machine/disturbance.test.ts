import { expect, test } from "vitest";
import { disturbanceOf, type MachineReading } from "./disturbance.ts";

type Process = MachineReading["processes"][number];

const root = 100;
const container = 50;
const roots = [root, container];
const idle = { pid: 7, name: "node", state: "R", parent: 1, group: 1, startedAt: "1", memoryMiB: 1 };

/** The processes that a run may have beside it, each with the CPU time that it has used. */
const reading = (
  cpuSeconds: number,
  totalSeconds: number,
  stealSeconds: number,
  others: readonly Partial<Process>[],
) => ({
  cpu: { stealSeconds, totalSeconds },
  processes: others.map((other) => ({ ...idle, cpuSeconds, endedChildrenCpuSeconds: 0, ...other })),
});
const of = (stealSeconds: number, ...others: readonly Partial<Process>[]) =>
  disturbanceOf([reading(1, 500, 10, others), reading(3, 520, 10 + stealSeconds, others)], roots);

test("a run beside a busy process is disturbed", () => {
  const foreign = { percent: 10, cpuSeconds: 2, largest: [{ name: "busy", cpuSeconds: 2 }] };
  expect(of(0, { name: "busy" }, { pid: 101, parent: root })).toMatchObject({ foreign, isDisturbed: true });
});

test("a process that ends does not hide what a busy one uses", () => {
  const ending = { pid: 8, cpuSeconds: 900 };
  const readings = [reading(1, 500, 10, [{ name: "busy" }, ending]), reading(3, 520, 10, [{ name: "busy" }])] as const;
  expect(disturbanceOf(readings, roots)).toMatchObject({ foreign: { cpuSeconds: 2 }, isDisturbed: true });
});

test.each<[string, ...Partial<Process>[]]>([
  ["its descendants", { pid: 101, parent: root }, { pid: 102, parent: 101 }],
  ["a process whose parent of the run has ended", { pid: 101, parent: root }, { pid: 102, group: 101 }],
  ["a server in a container", { pid: container, parent: 9 }, { pid: 51, parent: container }],
  ["kernel threads", { pid: 2, name: "kthreadd", parent: 0 }, { pid: 3, name: "kworker", parent: 2 }],
])("a run is not disturbed by %s", (_, ...processes) => {
  expect(of(0, ...processes)).toMatchObject({ isDisturbed: false, foreign: { percent: 0, largest: [] } });
});

test("steal disturbs a run", () => {
  expect(of(1.2)).toMatchObject({ steal: { percent: 6, cpuSeconds: 1.2 }, isDisturbed: true });
});
