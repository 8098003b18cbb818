import type { EventFiles } from "@tally/pipeline";
import { numberFilter } from "../row-filter.ts";
import { days } from "./request-values.ts";

/** Lift rides in files. */
export const files: EventFiles = {
  fields: ["resortID", "seasonID", "dayID", "skierID", "time", "liftID"],
  select: "SELECT id, resort, season, day, skier_id, minute, lift_id FROM lift_rides",
  order: "id",
  filters: { date: numberFilter("day = ?", "--date", days) },
};
