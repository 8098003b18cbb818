import { eventStore } from "../event-rows.ts";
import type { StepsEvent } from "./event.ts";

/** Steps have no natural key, as those of one hour add up: a row is new when its event id is. */
export const store = eventStore(
  {
    insert: "INSERT INTO steps (id, user_id, day, hour, steps, producer, sequence) VALUES ?",
    row: (event: StepsEvent, id, producer, sequence) => [
      id,
      event.userId,
      event.day,
      event.hour,
      event.steps,
      producer,
      sequence,
    ],
    select: "SELECT id, user_id, day, hour, steps FROM steps WHERE id IN (?)",
    selectBatch: "SELECT producer, sequence FROM steps WHERE id = ?",
  },
  (id, row: StepsRow): StepsEvent => ({ id, userId: row.user_id, day: row.day, hour: row.hour, steps: row.steps }),
);

interface StepsRow {
  readonly user_id: number;
  readonly day: number;
  readonly hour: number;
  readonly steps: number;
}
