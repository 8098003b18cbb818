import type { SqlReader } from "@tally/pipeline";

// Each reads a stretch of the index `user_day`, which holds all its columns: as many entries as the days asked for have posts.
const sumOfNewestDay = `
  SELECT CAST(COALESCE(SUM(steps), 0) AS UNSIGNED) AS steps FROM steps
  WHERE user_id = ? AND day = (SELECT MAX(day) FROM steps WHERE user_id = ?)`;
const sumOfDay = `
  SELECT CAST(COALESCE(SUM(steps), 0) AS UNSIGNED) AS steps FROM steps WHERE user_id = ? AND day = ?`;
const sumsOfDays = `
  SELECT day, CAST(SUM(steps) AS UNSIGNED) AS steps FROM steps
  WHERE user_id = ? AND day >= ? AND day < ? GROUP BY day`;

/** A user's steps on the most recent day that has any; 0 for a user without. */
export async function stepsOfNewestDay(rows: SqlReader, userId: number): Promise<number> {
  const [row] = await rows.query<{ steps: number }>(sumOfNewestDay, [userId, userId]);
  return row?.steps ?? 0;
}

/** A user's steps on a day; 0 where there are none. */
export async function stepsOfDay(rows: SqlReader, userId: number, day: number): Promise<number> {
  const [row] = await rows.query<{ steps: number }>(sumOfDay, [userId, day]);
  return row?.steps ?? 0;
}

/** A user's steps on each of some days in a row, 0 where there are none. */
export async function stepsOfDays(
  rows: SqlReader,
  userId: number,
  firstDay: number,
  count: number,
): Promise<readonly number[]> {
  const found = await rows.query<{ day: number; steps: number }>(sumsOfDays, [userId, firstDay, firstDay + count]);
  const sums = new Map(found.map(({ day, steps }) => [day, steps]));
  return Array.from({ length: count }, (_, index) => sums.get(firstDay + index) ?? 0);
}
