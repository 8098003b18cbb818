import type { EventFiles } from "@tally/contract";
import { numberFilter } from "../row-filter.ts";
import { days } from "./request-values.ts";

/** Steps in files. */
export const files: EventFiles = {
  fields: ["userID", "day", "timeInterval", "stepCount"],
  select: "SELECT id, user_id, day, hour, steps FROM steps",
  order: "id",
  filters: { date: numberFilter("day = ?", "--date", days) },
};
