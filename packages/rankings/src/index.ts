export type { NewGeneration } from "./build-generation.ts";
export { connectRankings } from "./connect-rankings.ts";
export { encodeMoves } from "./encode-moves.ts";
export {
  RankingsError,
  RankingsUnavailable,
  type BatchCounter,
  type BoardCells,
  type Rankings,
  type RankingsState,
} from "./rankings.ts";
export { spreadShards, type Spread } from "./spread-shards.ts";
