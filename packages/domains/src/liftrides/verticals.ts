import { keyedRead, type ReadKey } from "@tally/contract";

// Each reads ranges of the covering index `skier`.
const sumsOfDays = `
  SELECT skier_id, resort, season, day, CAST(SUM(vertical) AS UNSIGNED) AS vertical FROM lift_rides
  WHERE (skier_id, resort, season, day) IN (?) GROUP BY skier_id, resort, season, day`;
const sumsOfSeasons = `
  SELECT skier_id, resort, season, CAST(SUM(vertical) AS UNSIGNED) AS vertical FROM lift_rides
  WHERE (skier_id, resort, season) IN (?) GROUP BY skier_id, resort, season`;
const sumsOfResorts = `
  SELECT skier_id, resort, CAST(SUM(vertical) AS UNSIGNED) AS vertical FROM lift_rides
  WHERE (skier_id, resort) IN (?) GROUP BY skier_id, resort`;

type SkierAtResort = readonly [skierId: number, resort: string];

/** A skier's vertical of one day at a resort; 0 without rides. */
export const verticalOfDay = sums<readonly [...SkierAtResort, season: number, day: number]>(sumsOfDays, [
  "skier_id",
  "resort",
  "season",
  "day",
]);

/** Of all days of one season. */
export const verticalOfSeason = sums<readonly [...SkierAtResort, season: number]>(sumsOfSeasons, [
  "skier_id",
  "resort",
  "season",
]);

/** Of all days of all seasons. */
export const verticalOfResort = sums<SkierAtResort>(sumsOfResorts, ["skier_id", "resort"]);

interface Sum {
  readonly skier_id: number;
  readonly resort: string;
  readonly season: number;
  readonly day: number;
  readonly vertical: number;
}

function sums<K extends ReadKey>(select: string, key: { readonly [Part in keyof K]: keyof Sum }) {
  return keyedRead<K, Sum, number>({ select, key, keysMax: 500, ofRows: ([row]) => row?.vertical ?? 0 });
}
