import { ROOT_CONTEXT, SpanKind, trace, TraceFlags } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { Outage } from "@tally/runtime";
import type { Tracer, TracerOptions } from "./tracer.ts";

const sendEveryMs = 1000;
const sendWithinMs = 5000;

const { SERVER, PRODUCER, CONSUMER } = SpanKind;
const kinds = { received: SERVER, published: PRODUCER, stored: CONSUMER, ranked: CONSUMER } as const;

/** Sends each step as a span. Drops what the collector does not accept; each outage is one line in the log. */
export function otlpTracer({ app, endpoint, log }: TracerOptions): Tracer {
  const url = `${endpoint.replace(/\/+$/, "")}/v1/traces`;
  const sender = new OTLPTraceExporter({ url, timeoutMillis: sendWithinMs });
  const outage = new Outage(log, "send traces");
  // The SDK reports failures to its own logger, which drops them.
  const exporter: Pick<OTLPTraceExporter, "export" | "shutdown"> = {
    export: (spans, done) =>
      sender.export(spans, (result) => {
        if (result.error === undefined) outage.worked();
        else outage.failed(result.error);
        done(result);
      }),
    shutdown: () => sender.shutdown(),
  };
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": `tally-${app}`, "service.namespace": "tally" }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter, scheduledDelayMillis: sendEveryMs, exportTimeoutMillis: sendWithinMs }),
    ],
  });
  const tracer = provider.getTracer("tally");
  return {
    begin(name, parent, atMs) {
      const sampled = parent && { ...parent, traceFlags: TraceFlags.SAMPLED, isRemote: true };
      const context = sampled ? trace.setSpanContext(ROOT_CONTEXT, sampled) : ROOT_CONTEXT;
      const span = tracer.startSpan(name, { kind: kinds[name], startTime: performance.timeOrigin + atMs }, context);
      return {
        context: span.spanContext(),
        end(fields) {
          for (const [field, value] of Object.entries(fields)) span.setAttribute(`tally.${field}`, value);
          span.end(performance.timeOrigin + performance.now());
        },
      };
    },
    async close() {
      await provider.shutdown().catch((error: unknown) => log.warn({ err: error }, "cannot send the last traces"));
    },
  };
}
