import { readTraceparent, textOfTraceContext, type TraceContext } from "./trace-context.ts";

/** An event of a sampled request, and the step that the next one follows. */
export interface TracedEvent {
  readonly eventId: string;
  readonly context: TraceContext;
}

const header = "tally-traces";
const none: readonly TracedEvent[] = [];

/** The most traced events of a message: 64 take 7 kB, and the broker accepts headers of 128 kB. */
export const tracedEventsMax = 64;

/** The headers of a message with traced events. A consumer that does not know them ignores them. */
export function tracesHeader(events: readonly TracedEvent[]): Readonly<Record<string, string>> {
  return { [header]: events.map(({ eventId, context }) => `${eventId}=${textOfTraceContext(context)}`).join(",") };
}

/** The traced events of a message. Empty for nearly every message: one lookup. Drops entries that it cannot read. */
export function tracedEventsOf(headers: Readonly<Record<string, unknown>>): readonly TracedEvent[] {
  const text = headers[header];
  if (typeof text !== "string") return none;
  return text.split(",", tracedEventsMax).flatMap((entry) => {
    const [eventId = "", traceparent = ""] = entry.split("=");
    const parent = readTraceparent(traceparent);
    return parent === undefined ? [] : { eventId, context: { traceId: parent.traceId, spanId: parent.spanId } };
  });
}
