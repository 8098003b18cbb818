import { expect, test } from "vitest";
import { spreadShards } from "./spread-shards.ts";

test("one core needs one master and one shard", () => {
  expect(spreadShards("purchases", 0)).toEqual({ masters: 1, shards: 1, most: 1 });
  expect(spreadShards("purchases", 1)).toEqual({ masters: 1, shards: 1, most: 1 });
});

test("of the numbers of shards the one that spreads best: with as many as masters, one of them would have two", () => {
  expect(spreadShards("purchases", 2.7)).toEqual({ masters: 3, shards: 22, most: 8 });
  expect(spreadShards("purchases", 4.6)).toEqual({ masters: 5, shards: 14, most: 3 });
});

test("a master more, where no number of shards spreads well enough", () => {
  expect(spreadShards("purchases", 2.9)).toEqual({ masters: 4, shards: 4, most: 1 });
  for (const cores of [5.5, 12.3, 40, 250]) {
    const { masters, shards, most } = spreadShards("purchases", cores) ?? expect.fail("it fits");
    expect(masters).toBeGreaterThanOrEqual(cores);
    expect((cores * most) / shards).toBeLessThanOrEqual(1);
  }
});

test("more than all shards can use fits nowhere", () => {
  expect(spreadShards("purchases", 5000)).toBeUndefined();
});
