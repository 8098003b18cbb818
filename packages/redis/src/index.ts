export { isCluster, masterOfKey, mastersOf } from "./connection/cluster.ts";
export { openRedis } from "./connection/open-redis.ts";
export type { Redis, RedisOptions } from "./connection/redis.ts";
export { connectRankings } from "./rankings/connect-rankings.ts";
export { addMoves, encodeMoves, idOf } from "./rankings/encode-moves.ts";
export { isRedisAway, RankingsUnavailable } from "./rankings/rankings.ts";
export type {
  BatchRanking,
  Board,
  BoardCells,
  Id,
  NewGeneration,
  Rankings,
  RankingsState,
} from "./rankings/rankings.ts";
