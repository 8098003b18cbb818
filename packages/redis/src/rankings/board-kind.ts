import { boardsOfSeries, chainBoards, seriesOfBoard, type MirroredBoards } from "@tally/contract";

/** Where the counts of a board are: of a key or a member of mirrored counts, the sums of all keys or of all members, or
 * of none of these. */
type BoardKind =
  | { readonly name: "other"; readonly mirror?: undefined }
  | { readonly name: "key" | "member" | "keys" | "members"; readonly mirror: MirroredBoards };

export function boardKind(mirrors: readonly MirroredBoards[], board: string): BoardKind {
  const series = seriesOfBoard(board);
  for (const allTime of mirrors) {
    const mirror = series === "" ? allTime : boardsOfSeries(allTime, series);
    const chain = chainBoards(mirror);
    if (board === chain?.keys) return { name: "keys", mirror };
    if (board === chain?.members) return { name: "members", mirror };
    if (board.startsWith(mirror.mirrorPrefix)) return { name: "member", mirror };
    if (board.startsWith(mirror.prefix)) return { name: "key", mirror };
  }
  return { name: "other" };
}
