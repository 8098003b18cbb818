import { randomBytes } from "node:crypto";
import type { Log } from "@tally/runtime";
import type { Tracer } from "./tracer.ts";

const hexId = (bytes: number): string => randomBytes(bytes).toString("hex");

/** Writes one line for each step, with the ids that a span would have. */
export function logTracer(log: Log): Tracer {
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
