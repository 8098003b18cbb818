import type { EventFiles } from "@tally/contract";
import { numberFilter } from "../row-filter.ts";
import { days } from "./request-values.ts";

/** Lift rides in files. */
export const files: EventFiles = {
  fields: ["resortID", "seasonID", "dayID", "skierID", "time", "liftID"],
  requiredColumns: ["skierID"],
  // A ride of an unknown skier has no seasonID: only the POST without one takes it.
  select: `
    SELECT id, resort, IF(skier_id IS NULL, NULL, season), day, skier_id, minute, lift_id FROM lift_rides`,
  order: "id",
  filters: { date: numberFilter("day = ?", "--date", days) },
};
