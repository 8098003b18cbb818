import { expect, test } from "vitest";
import type { SourceGroup } from "./workload.ts";
import { workloadOf, workloads } from "./workloads.ts";
import { domains } from "./domains.ts";

const total = (groups: readonly SourceGroup[] = []): number =>
  groups.reduce((sum, { connections, requestsOfEach }) => sum + connections * requestsOfEach, 0);

test("every domain has a workload, in the same order", () => {
  expect(workloads.map(({ domain }) => domain)).toEqual(domains.map(({ name }) => name));
});

test.each([
  ["purchases", 1, [256 * 2700, 512 * 2700, 32 * 2700, 64 * 2700, 128 * 2700, 1024 * 2700, 32 * 540]],
  ["purchases", 0.1, [256 * 270, 512 * 270]],
  // The later load has three readers, which send 400 requests each.
  ["albums", 1, [200_000, 400_000, 600_000, 40_000 + 1200, 80_000 + 1200, 120_000 + 1200]],
  ["albums", 0.1, [20_000, 40_000, 60_000]],
  ["liftrides", 1, [386_880, 773_760]],
  ["steps", 1, [240_500, 481_000, 962_000, 1_925_500]],
  ["swipes", 1, [500_000, 500_000]],
  ["swipes", 0.01, [5000]],
  ["swipes", 0.0001, [900]],
])(
  "the source of %s sends at scale %f as many requests as the contract's formula says: %j",
  (domain, scale, expected) => {
    const runs = workloadOf(domain).source?.runs ?? [];
    expect(expected.map((_, run) => total(runs[run]?.groups(scale)))).toEqual(expected);
  },
);

test.each([
  [
    "liftrides",
    0,
    "a tenth",
    ["start-up 64 1005", "peak 256 1005 after 7 of start-up", "closing 64 1020 after 26 of peak"],
  ],
  [
    "steps",
    1,
    "all",
    [
      "warm-up 6 1500",
      "load 32 2500 after 6 of warm-up",
      "peak 64 5500 after 32 of load",
      "cool-down 16 2500 after 64 of peak",
    ],
  ],
])(
  "a phase of %s starts in run %i when %s of the threads of the previous one have ended",
  (domain, run, _share, expected) => {
    const groups = workloadOf(domain).source?.runs[run]?.groups(1) ?? [];
    const phases = groups.map(({ name, connections, requestsOfEach, startsAfter }) => {
      const before = groups.find((group) => group.name === startsAfter?.group);
      expect(startsAfter?.responses).toBe(before?.requestsOfEach);
      const phase = `${name} ${connections} ${requestsOfEach}`;
      return startsAfter === undefined ? phase : `${phase} after ${startsAfter.connections} of ${startsAfter.group}`;
    });
    expect(phases).toEqual(expected);
  },
);

test("a source's warm-up has as many requests as the contract says", () => {
  const runs = workloadOf("albums").source?.runs.slice(0, 3) ?? [];
  expect(runs.map(({ warmUp }) => total(warmUp?.(1)))).toEqual([2000, 2000, 2000]);
});
