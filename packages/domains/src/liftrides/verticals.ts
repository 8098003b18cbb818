import type { SqlReader } from "@tally/pipeline";

// Each reads one stretch of the index `skier`, which holds all its columns.
const sumOfDay = `
  SELECT CAST(COALESCE(SUM(vertical), 0) AS UNSIGNED) AS vertical FROM lift_rides
  WHERE skier_id = ? AND resort = ? AND season = ? AND day = ?`;
const sumOfSeason = `
  SELECT CAST(COALESCE(SUM(vertical), 0) AS UNSIGNED) AS vertical FROM lift_rides
  WHERE skier_id = ? AND resort = ? AND season = ?`;
const sumOfResort = `
  SELECT CAST(COALESCE(SUM(vertical), 0) AS UNSIGNED) AS vertical FROM lift_rides
  WHERE skier_id = ? AND resort = ?`;

interface SkierAtResort {
  readonly skierId: number;
  readonly resort: string;
}

/** A skier's vertical of one day at a resort; 0 where there is none. */
export function verticalOfDay(
  rows: SqlReader,
  { skierId, resort, season, day }: SkierAtResort & { readonly season: number; readonly day: number },
): Promise<number> {
  return sumBy(rows, sumOfDay, [skierId, resort, season, day]);
}

/** Of all days of one season. */
export function verticalOfSeason(
  rows: SqlReader,
  { skierId, resort, season }: SkierAtResort & { readonly season: number },
): Promise<number> {
  return sumBy(rows, sumOfSeason, [skierId, resort, season]);
}

/** Of all days of all seasons. */
export function verticalOfResort(rows: SqlReader, { skierId, resort }: SkierAtResort): Promise<number> {
  return sumBy(rows, sumOfResort, [skierId, resort]);
}

async function sumBy(rows: SqlReader, sql: string, values: readonly (string | number)[]): Promise<number> {
  const [row] = await rows.query<{ vertical: number }>(sql, values);
  return row?.vertical ?? 0;
}
