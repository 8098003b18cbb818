import { randomBytes } from "node:crypto";
import type { Log } from "@tally/runtime";
import type { TraceContext } from "./trace-context.ts";

/**
 * received: from the head of the request to its response. published: from flushed to confirmed. stored: from delivered
 * to committed. ranked: from delivered to ranked.
 */
export type StepName = "received" | "published" | "stored" | "ranked";

/** What is known of a step at its end: the event's id, its domain and the outcome. */
type StepFields = Readonly<Record<string, string | number>>;

export interface Step {
  /** What the next step follows. */
  readonly context: TraceContext;
  /** Records the step; it ends now. */
  end(fields: StepFields): void;
}

export interface Tracer {
  /**
   * A step of a sampled event. `parent` undefined: the first of its trace. `atMs`: when it began, by performance.now().
   */
  begin(name: StepName, parent: TraceContext | undefined, atMs: number): Step;
  /** Sends what is recorded. Takes at most 5 s; never rejects. */
  close(): Promise<void>;
}

export interface TracerOptions {
  /** The app: "gateway", "writer", "ranker". */
  readonly app: string;
  /** Of an OpenTelemetry collector, as OTLP over HTTP; "": the steps are lines of the log. */
  readonly endpoint: string;
  readonly log: Log;
}

/** Loads OpenTelemetry only for an endpoint. Without sampled events a tracer does nothing. */
export async function openTracer(options: TracerOptions): Promise<Tracer> {
  if (options.endpoint === "") return logTracer(options.log);
  const { otlpTracer } = await import("./otlp-tracer.ts");
  return otlpTracer(options);
}

const hexId = (bytes: number): string => randomBytes(bytes).toString("hex");

/** Writes one line for each step, with the ids that a span would have. */
function logTracer(log: Log): Tracer {
  return {
    begin(name, parent, atMs) {
      const context = { traceId: parent?.traceId ?? hexId(16), spanId: hexId(8) };
      return {
        context,
        end(fields) {
          const durationMs = Math.round((performance.now() - atMs) * 1000) / 1000;
          const parentSpanId = parent?.spanId;
          log.info(
            { ...context, ...(parentSpanId !== undefined && { parentSpanId }), step: name, ...fields, durationMs },
            "trace",
          );
        },
      };
    },
    close: async () => undefined,
  };
}
