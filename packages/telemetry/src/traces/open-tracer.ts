import { randomBytes } from "node:crypto";
import type { Log } from "@tally/runtime";
import type { Tracer, TracerOptions } from "./tracer.ts";

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
          const follows = parent && { parentSpanId: parent.spanId };
          log.info({ ...context, ...follows, step: name, ...fields, durationMs }, "trace");
        },
      };
    },
    close: async () => undefined,
  };
}
