import { expect, test } from "vitest";
import { limitOf } from "./model.ts";

const cpuUs = { gateway: 40, writer: 10, ranker: 5, broker: 5, database: 20, redis: 20, client: 25 };

test("twice the processes carry twice the rate, up to what the machine carries", () => {
  const machine = { share: 0.25, cores: 2 };
  expect(limitOf({ ...machine, processes: 1 }, cpuUs)).toEqual({ by: "gateway", perSecond: 6250 });
  expect(limitOf({ ...machine, processes: 2 }, cpuUs)).toEqual({ by: "gateway", perSecond: 12_500 });
  expect(limitOf({ ...machine, processes: 3 }, cpuUs)).toEqual({ by: "machine", perSecond: 16_000 });
});

test("the weakest tier sets the limit; one without a figure sets none", () => {
  const capacity = { processes: 1, share: 0.2, cores: 2 };
  expect(limitOf(capacity, { ...cpuUs, gateway: null, writer: 20 })).toEqual({ by: "writer", perSecond: 10_000 });
});
