import { setTimeout as delay } from "node:timers/promises";
import { fieldIn } from "@tally/contract";
import { expect, test } from "vitest";
import { goLive, ownRankings } from "./own-rankings.test-kit.ts";
import { RankingsUnavailable } from "./rankings.ts";

const { namespace, rankings, redis, build } = ownRankings(2);
const domain = "whole";
const cells = Array.from({ length: 20_000 }, (_, n) => [String(n), n + 1] as const);

async function buildAll(): Promise<void> {
  const generation = await build(domain);
  await generation.add("board", cells);
  await generation.noteSeries({ measures: [] });
  await goLive(generation);
}

test("a board is read whole, or not at all: before the first rankings, and when they are lost or replaced meanwhile", async () => {
  const read = async () => (await rankings.whole(domain, ["board"])).cells[0]?.size;
  await expect(read()).rejects.toThrow(RankingsUnavailable);
  await buildAll();
  const isUsable = await rankings.whole(domain, ["board", "20261126/all:stores"]);
  expect(isUsable.cells.map((own) => own?.size)).toEqual([cells.length, undefined]);
  const outcomes = new Set<unknown>();
  for (let waitMs = 0; waitMs < 8; waitMs++) {
    const reading = read().catch((error: unknown) => fieldIn(error, "code"));
    await delay(waitMs);
    if (waitMs % 2 === 0) await redis.unlink(await redis.keys(`${namespace}:*`));
    outcomes.add(await reading);
    await buildAll();
  }
  expect([...outcomes].filter((one) => one !== cells.length)).toEqual(["RANKINGS_UNAVAILABLE"]);
});
