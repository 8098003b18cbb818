import { expect, test } from "vitest";
import { spreadShards } from "./plan.ts";

test("one core needs one master and one shard", () => {
  expect(spreadShards("purchases", () => 0)).toEqual({ masters: 1, shards: 1, most: 1 });
  expect(spreadShards("purchases", () => 1)).toEqual({ masters: 1, shards: 1, most: 1 });
});

test("a cluster has three masters at least", () => {
  expect(spreadShards("purchases", () => 1.1)).toMatchObject({ masters: 3 });
  expect(spreadShards("purchases", () => 1.9)).toMatchObject({ masters: 3 });
});

test("of the numbers of shards the one that spreads best: with as many as masters, one of them would have two", () => {
  expect(spreadShards("purchases", () => 2.7)).toEqual({ masters: 3, shards: 22, most: 8 });
  expect(spreadShards("purchases", () => 4.6)).toEqual({ masters: 5, shards: 14, most: 3 });
});

test("a master more, where no number of shards spreads well enough", () => {
  expect(spreadShards("purchases", () => 2.9)).toEqual({ masters: 4, shards: 4, most: 1 });
  for (const cores of [5.5, 9.1, 12.3]) {
    const { masters, shards, most } = spreadShards("purchases", () => cores) ?? expect.fail("it fits");
    expect(masters).toBeGreaterThanOrEqual(cores);
    expect((cores * most) / shards).toBeLessThanOrEqual(1);
  }
});

test("a load that needs more shards than were measured fits nowhere", () => {
  expect(spreadShards("purchases", () => 40)).toBeUndefined();
});

test("what more shards cost counts: with fewer of them the busiest master does less", () => {
  const { shards: many } = spreadShards("purchases", () => 2.7) ?? expect.fail("it fits");
  const { shards: few } = spreadShards("purchases", (shards) => 2 + shards * 0.05) ?? expect.fail("it fits");
  expect(few).toBeLessThan(many);
});
