import type { Recorded, SqlReader, SqlTransaction } from "@tally/pipeline";
import { addEvents, locateEvent, type EventTable } from "../event-rows.ts";
import type { StepsEvent } from "./event.ts";

const steps: EventTable<StepsEvent> = {
  insert: "INSERT INTO steps (id, user_id, day, hour, steps, producer, sequence) VALUES ?",
  row: (event, id, producer, sequence) => [id, event.userId, event.day, event.hour, event.steps, producer, sequence],
  selectStored: "SELECT id FROM steps WHERE id IN (?)",
  selectBatch: "SELECT producer, sequence FROM steps WHERE id = ?",
};

/** Steps have no natural key, as those of one hour add up: a row is new when its event id is. */
export const store = {
  async write(
    transaction: SqlTransaction,
    recorded: readonly Recorded<StepsEvent>[],
  ): Promise<readonly Recorded<StepsEvent>[]> {
    const added = await addEvents(transaction, steps, recorded);
    return added.map((one) => one.recorded);
  },
  locate: (reader: SqlReader, eventId: string) => locateEvent(reader, steps, eventId),
};
