export { isCluster, masterOfKey, mastersOf } from "./connection/cluster.ts";
export { openRedis } from "./connection/open-redis.ts";
export { type Redis, type RedisOptions } from "./connection/redis.ts";
export { connectRankings } from "./rankings/connect-rankings.ts";
export { encodeMoves } from "./rankings/encode-moves.ts";
export {
  RankingsError,
  RankingsUnavailable,
  type BatchRanking,
  type BoardCells,
  type NewGeneration,
  type Rankings,
  type RankingsState,
} from "./rankings/rankings.ts";
export { spreadShards, type Spread } from "./rankings/spread-shards.ts";
