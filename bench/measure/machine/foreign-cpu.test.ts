import { cpuTimeIn, processIn } from "@tally/local";
import { expect, test } from "vitest";
import { foreignCpu } from "./foreign-cpu.ts";
import type { MachineReading } from "./read-machine.ts";

interface ProcessLine {
  readonly pid: number;
  readonly name: string;
  readonly parent: number;
  readonly group?: number;
  readonly ticks: number;
  readonly endedChildrenTicks?: number;
}

/** As /proc shows it, with 100 ticks a second. `busy`: the ticks of processes. */
function reading(busy: number, processes: readonly ProcessLine[]): MachineReading {
  return {
    cpu: cpuTimeIn(`cpu  ${busy - 20} 5 15 1000 50 0 120 7 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\n`),
    processes: processes.map(({ pid, name, parent, group = pid, ticks, endedChildrenTicks = 0 }) =>
      processIn(
        pid,
        `${pid} (${name}) S ${parent} ${group} 1 0 -1 4194560 5439 66467 0 8 ${ticks - 1} 1 ${endedChildrenTicks} 0 20 0 1 0 61286 5124096 1007 0\n`,
      ),
    ),
  };
}

const kthreadd = { pid: 2, name: "kthreadd", parent: 0, ticks: 1 };
const bench = { pid: 100, name: "node", parent: 1, ticks: 50 };
const database = { pid: 110, name: "mysqld", parent: 100, ticks: 70 };
const other = { pid: 200, name: "tsc", parent: 1, ticks: 900 };
const before = [kthreadd, bench, database, other];
const secondsBetween = (first: MachineReading, last: MachineReading) => foreignCpu(first, last, [100]).seconds;

test("the run's own processes are not foreign: descendants, their groups, and those that end while it lasts", () => {
  const after = [
    kthreadd,
    { ...bench, ticks: 80 },
    { ...database, ticks: 170, endedChildrenTicks: 40 },
    // Its parent has ended; it is still in the group of the database.
    { pid: 130, name: "thread pool", parent: 1, group: 110, ticks: 60 },
    { pid: 131, name: "a b) S (c", parent: 130, ticks: 20 },
    other,
  ];
  expect(secondsBetween(reading(2000, before), reading(2250, after))).toBeCloseTo(0);
  const strange = { pid: 130, name: "thread pool", parent: 1, group: 130, ticks: 60 };
  expect(secondsBetween(reading(2000, before), reading(2060, [...before, strange]))).toBeCloseTo(0.6);
});

test("other processes are foreign, also those that have ended; the largest are named", () => {
  const after = [
    kthreadd,
    { ...bench, ticks: 100 },
    database,
    { ...other, ticks: 960, endedChildrenTicks: 30 },
    { pid: 210, name: "a\u001B[31m", parent: 1, ticks: 8 },
    { pid: 211, name: "tsc", parent: 200, ticks: 20 },
  ];
  expect(foreignCpu(reading(2000, before), reading(2168, after), [100])).toEqual({
    seconds: expect.closeTo(1.18),
    largest: [
      { name: "tsc", seconds: expect.closeTo(0.8) },
      { name: "a?[31m", seconds: expect.closeTo(0.08) },
    ],
  });
});

test("kernel threads and interrupts are not foreign", () => {
  const worker = { pid: 30, name: "kworker/0:1", parent: 2, ticks: 40 };
  const after = [...before, worker];
  expect(secondsBetween(reading(2000, before), reading(2040, after))).toBeCloseTo(0);
  // In a container pid 2 is an ordinary process.
  const shell = { ...kthreadd, name: "sh" };
  const inContainer = [shell, bench, database];
  expect(secondsBetween(reading(2000, inContainer), reading(2040, [...inContainer, worker]))).toBeCloseTo(0.4);
});

test("processes that are invisible from a container are foreign", () => {
  const visible = [bench, database];
  expect(secondsBetween(reading(2000, visible), reading(2100, [{ ...bench, ticks: 75 }, database]))).toBeCloseTo(0.75);
});

test("where the kernel counts interrupts as time of the run, visible processes are foreign nevertheless", () => {
  const after = [kthreadd, { ...bench, ticks: 250 }, database, { ...other, ticks: 950 }];
  expect(secondsBetween(reading(2000, before), reading(2150, after))).toBeCloseTo(0.5);
  expect(secondsBetween(reading(2000, before), reading(2150, [kthreadd, { ...bench, ticks: 250 }, database]))).toBe(0);
});
