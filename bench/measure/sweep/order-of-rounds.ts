/**
 * The order of the runs in a round, counted from 0. Each odd round reverses the one before, so that a machine that becomes slower or faster is
 * fair to all. Each pair of rounds begins with another one, so that it is not always the same one that runs first.
 */
export function orderOfRound<T>(all: readonly T[], round: number): readonly T[] {
  const first = Math.floor(round / 2) % Math.max(1, all.length);
  const rotated = [...all.slice(first), ...all.slice(0, first)];
  return round % 2 === 0 ? rotated : rotated.toReversed();
}
