import { eventStore } from "../event-rows.ts";
import type { StepsEvent } from "./event.ts";

/** Steps have no natural key, because those of one hour add up: a row is new if its event id is. */
export const store = eventStore<StepsEvent>({
  insert: "INSERT INTO steps (id, user_id, day, hour, steps, producer, sequence) VALUES ?",
  row: ({ userId, day, hour, steps }) => [userId, day, hour, steps],
  select: "SELECT id, user_id AS userId, day, hour, steps FROM steps WHERE id IN (?)",
  selectBatch: "SELECT producer, sequence FROM steps WHERE id = ?",
});
