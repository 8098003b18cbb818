export { isCluster, masterOfKey, mastersOf } from "./connection/cluster.ts";
export { openRedis, type Redis, type RedisOptions } from "./connection/open-redis.ts";
export { connectRankings } from "./rankings/connect-rankings.ts";
export { encodeMoves, movesOf } from "./rankings/encode-moves.ts";
export { RankingsUnavailable } from "./rankings/rankings.ts";
export type {
  BatchRanking,
  BoardCells,
  NewGeneration,
  NotedEpoch,
  Rankings,
  RankingsState,
} from "./rankings/rankings.ts";
