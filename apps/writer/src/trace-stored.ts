import type { NewLetter } from "@tally/database";
import { tracesHeader, type Tracer } from "@tally/telemetry";
import type { ReceivedBatch } from "./received-batch.ts";

/**
 * Records the step "stored" of the traced events of a committed batch. Returns the headers for its ranking message; undefined for nearly
 * every batch, which has none. `conflicts`: letters, each with the id of its event as message id.
 */
export function traceStored(
  tracer: Tracer,
  domain: string,
  { traced, key, deliveredAtMs, refused }: ReceivedBatch,
  conflicts: readonly NewLetter[],
): Readonly<Record<string, string>> | undefined {
  if (traced.length === 0) return undefined;
  const dead = new Set([...conflicts.map(({ messageId }) => messageId), ...Array.from(refused.keys(), ({ id }) => id)]);
  const next = traced.map(({ eventId, context: parent }) => {
    const step = tracer.begin("stored", parent, deliveredAtMs);
    step.end({ eventId, domain, batch: key, outcome: dead.has(eventId) ? "dead letter" : "stored" });
    return { eventId, context: step.context };
  });
  return tracesHeader(next);
}
