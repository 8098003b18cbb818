import { randomBytes } from "node:crypto";
import { silentLog } from "@tally/runtime";
import { Moves } from "@tally/contract";
import { Redis } from "ioredis";
import { afterAll, expect, inject } from "vitest";
import { connectRankings } from "./connect-rankings.ts";
import type { NewGeneration, RankingsOptions } from "./rankings.ts";

/** Rankings of one test file in the run's Redis, which `redis` reads without the package under test. */
export function ownRankings(shards: number, domains: RankingsOptions["domains"] = []) {
  const { redisUrl: url } = inject("services");
  const namespace = `test-${randomBytes(6).toString("hex")}`;
  const redis = new Redis(url);
  const connect = (options: Partial<RankingsOptions> = {}) => {
    const rankings = connectRankings({ url, namespace, shards, domains, log: silentLog, ...options });
    afterAll(() => rankings.close());
    return rankings;
  };
  const rankings = connect();
  afterAll(async () => {
    const keys = await redis.keys(`${namespace}:*`);
    if (keys.length > 0) await redis.unlink(keys);
    redis.disconnect();
  });
  return {
    namespace,
    redis,
    rankings,
    connect,
    build: async (domain: string, count?: number): Promise<NewGeneration> =>
      (await rankings.build(domain, count)) ?? expect.fail("another one builds"),
  };
}

export async function goLive(generation: NewGeneration, asOf = 1): Promise<void> {
  await generation.loaded(asOf);
  expect(await generation.switch()).toBe(true);
  await generation.release();
}

/** Moves on ordinary boards: board → member → difference. */
export function movesOf(boards: Readonly<Record<string, Readonly<Record<string, number>>>>): Moves {
  const moves = new Moves();
  for (const [board, members] of Object.entries(boards))
    for (const [member, by] of Object.entries(members)) moves.add(board, member, by);
  return moves;
}
