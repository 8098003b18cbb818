export { connectRankings, RankingsError, type BoardTop, type Rankings } from "./connect-rankings.ts";
export { encodeMoves } from "./encode-moves.ts";
