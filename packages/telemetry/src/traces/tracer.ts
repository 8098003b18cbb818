import { isEventId } from "@tally/contract";
import type { Log } from "@tally/runtime";

/** A step of a trace by W3C Trace Context: 32 and 16 lower-case hex digits. */
type TraceContext = Readonly<Record<"traceId" | "spanId", string>>;

const traceparentForm = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const sampledFlag = 1;

/** Reads a `traceparent` of any version; undefined for anything else, which W3C Trace Context says to ignore. */
export function readTraceparent(text: string): (TraceContext & { readonly isSampled: boolean }) | undefined {
  const [, traceId, spanId, flags, more] = traceparentForm.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  // Only later versions may have further fields.
  if (text.startsWith("00") && more !== undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & sampledFlag) === sampledFlag };
}

export function textOfTraceContext({ traceId, spanId }: TraceContext): string {
  return `00-${traceId}-${spanId}-01`;
}

/** An event of a sampled request, and the step that the next one follows. */
export interface TracedEvent {
  readonly eventId: string;
  readonly context: TraceContext;
}

const tracesHeaderName = "tally-traces";

/** The most traced events of a message: 64 take 7 kB, and the broker accepts headers of 128 kB. */
export const tracedEventsMax = 64;

/** The headers of a message with traced events. A consumer that does not know them ignores them. */
export function tracesHeader(events: readonly TracedEvent[]): Readonly<Record<string, string>> {
  return {
    [tracesHeaderName]: events.map(({ eventId, context }) => `${eventId}=${textOfTraceContext(context)}`).join(","),
  };
}

/** The traced events of a message. Empty for nearly every message: one lookup. Drops entries that it cannot read. */
export function tracedEventsOf(headers: Readonly<Record<string, unknown>>): readonly TracedEvent[] {
  const text = headers[tracesHeaderName];
  if (typeof text !== "string") return [];
  return text.split(",", tracedEventsMax).flatMap((entry) => {
    const [eventId = "", traceparent = ""] = entry.split("=");
    const parent = isEventId(eventId) ? readTraceparent(traceparent) : undefined;
    return parent === undefined ? [] : { eventId, context: { traceId: parent.traceId, spanId: parent.spanId } };
  });
}

// A traced event writes four log lines or spans. A client that samples all of its requests must not slow down others.
const requestedPerSecondMax = 50;

/** Samples requests whose `traceparent`, as Node returns it, says so, at most 50 a second, and 1 in `oneIn` of those
 * without it; 0: none. Undefined: not sampled. Without a parent the trace begins here. */
export function requestSampler(oneIn: number) {
  let second = 0;
  let sampled = 0;
  return (header: string | readonly string[] | undefined): { readonly parent?: TraceContext } | undefined => {
    if (header === undefined) return oneIn > 0 && Math.random() * oneIn < 1 ? {} : undefined;
    const parent = typeof header === "string" ? readTraceparent(header) : undefined;
    if (parent?.isSampled !== true) return undefined;
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) [second, sampled] = [now, 0];
    if (sampled++ >= requestedPerSecondMax) return undefined;
    return { parent: { traceId: parent.traceId, spanId: parent.spanId } };
  };
}

/** From the head of a request to its response; flushed to confirmed; delivered to committed; delivered to ranked. */
type StepName = "received" | "published" | "stored" | "ranked";

export interface Step {
  /** What the next step follows. */
  readonly context: TraceContext;
  /** Records the step; it ends now. */
  end(fields: Readonly<Record<string, string | number>>): void;
}

export interface Tracer {
  /** Begins a step of a sampled event. `parent` undefined: the first one. `atMs`: by performance.now(). */
  begin(name: StepName, parent: TraceContext | undefined, atMs: number): Step;
  /** Sends what is recorded. Takes at most 5 s; never rejects. */
  close(): Promise<void>;
}

export interface TracerOptions {
  readonly app: string;
  /** URL of an OpenTelemetry collector (OTLP over HTTP); "": the steps are lines of the log. */
  readonly endpoint: string;
  readonly log: Log;
}
