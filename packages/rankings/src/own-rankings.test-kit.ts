import { randomBytes } from "node:crypto";
import { silentLog } from "@tally/failures";
import { Redis } from "ioredis";
import { afterAll, inject } from "vitest";
import { connectRankings } from "./connect-rankings.ts";
import type { NewGeneration } from "./build-generation.ts";

/** Rankings of one test file in the run's Redis, accessed also without the package under test. Everything is deleted with the file. */
export function ownRankings(shards: number) {
  const { redisUrl: url } = inject("services");
  const namespace = `test-${randomBytes(6).toString("hex")}`;
  const redis = new Redis(url);
  const connect = () => {
    const rankings = connectRankings({ url, namespace, shards, log: silentLog });
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
    build: async (domain: string): Promise<NewGeneration> => {
      const generation = await rankings.build(domain);
      if (generation === undefined) throw new Error("another one builds");
      return generation;
    },
  };
}
