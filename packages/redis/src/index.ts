export { isCluster } from "./connection/cluster-address.ts";
export { masterOfKey, mastersOf, mastersWithSlotOf, slotOf, slots } from "./connection/masters-of.ts";
export { openRedis, type Redis, type RedisOptions } from "./connection/open-redis.ts";
export { type NewGeneration } from "./rankings/build-generation.ts";
export { connectRankings } from "./rankings/connect-rankings.ts";
export { encodeMoves } from "./rankings/encode-moves.ts";
export {
  RankingsError,
  RankingsUnavailable,
  type BatchCounter,
  type BoardCells,
  type Rankings,
  type RankingsState,
} from "./rankings/rankings.ts";
export { spreadShards, type Spread } from "./rankings/spread-shards.ts";
