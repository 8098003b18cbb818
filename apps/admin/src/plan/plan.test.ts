import { expect, test } from "vitest";
import { costOfShards } from "./cost-of-shards.ts";
import { measuredRun } from "./measured-run.fixture.ts";
import { planFor } from "./plan.ts";

const demand = { stores: 5000, eventsPerHour: 300, peak: 3, utilization: 0.6 };

test("5,000 stores with 300 purchases an hour, three times the mean at the peak", () => {
  const plan = planFor(demand, measuredRun);
  expect(plan.meanPerSecond).toBeCloseTo(416.67, 2);
  expect(plan.peakPerSecond).toBe(1250);
  expect(plan.tiers.map(({ tier, instance, count }) => [tier, instance, count])).toEqual([
    ["gateway", "c7g.large", 2],
    ["writer", "c7g.large", 2],
    ["ranker", "c7g.large", 2],
    ["broker", "m7g.large", 3],
    ["database", "db.r7g.large", 2],
    ["redis", "cache.r7g.large", 2],
  ]);
  expect(plan.tiers[0]?.cores).toBeCloseTo(0.04, 5);
  // 6 × c7g.large at $0.0725, 3 × m7g.large at $0.0816, 2 × r7g.large of Aurora at $0.276, 2 of ElastiCache at $0.1752, for 730 hours.
  expect(plan.usdPerMonth).toBeCloseTo(730 * (6 * 0.0725 + 3 * 0.0816 + 2 * 0.276 + 2 * 0.1752), 6);
});

test("a hundred times as many stores: stateless tiers get more instances, the others larger ones, up to the largest", () => {
  const plan = planFor({ ...demand, stores: 500_000 }, measuredRun);
  expect(plan.tiers.map(({ tier, instance, count }) => [tier, instance, count])).toEqual([
    ["gateway", "c7g.large", 5], // 125,000/s × 32 µs = 4 cores, / 0.6 = 6.67, two in each instance, and one more instance
    ["writer", "c7g.large", 3],
    ["ranker", "c7g.large", 2],
    ["broker", "m7g.large", 3],
    ["database", "db.r7g.4xlarge", 2],
    ["redis", "cache.r7g.large", 62], // 43 µs × (1.61 + 0.0053 × 36) = 9.7 cores, / 0.6 = 16, × 2 / 36 on the busiest of 31 masters
  ]);
  // A larger instance costs in proportion: 16 cores as eight of 2.
  expect(plan.tiers[4]?.usdPerMonth).toBeCloseTo(2 * 8 * 0.276 * 730, 6);

  const tooMuch = planFor({ ...demand, stores: 5_000_000 }, measuredRun);
  expect(tooMuch.tiers[4]?.why).toContain("run several systems");
  expect(tooMuch.usdPerMonth).toBeUndefined();
  expect(tooMuch.tiers.at(-1)).toMatchObject({ count: 0, why: expect.stringContaining("run several systems") });
});

test("a run that was measured with several shards has their cost already", () => {
  const large = { ...demand, stores: 500_000 };
  const shards = planFor(large, measuredRun).shards;
  const redis = (settings: Readonly<Record<string, string>>) =>
    planFor(large, { ...measuredRun, settings }).tiers.at(-1)?.usPerEvent ?? Number.NaN;
  const factor = costOfShards("redis", 4);
  expect(factor).toBeGreaterThan(1.5);
  expect(redis({})).toBeCloseTo(43 * costOfShards("redis", shards), 6);
  // Fewer cores: other shards.
  const { shards: others } = planFor(large, { ...measuredRun, settings: { RANKING_SHARDS: "4" } });
  expect(redis({ RANKING_SHARDS: "4" })).toBeCloseTo((43 * costOfShards("redis", others)) / factor, 6);
});
