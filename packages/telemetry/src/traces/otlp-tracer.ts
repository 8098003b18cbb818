import { ROOT_CONTEXT, SpanKind, trace, TraceFlags } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { Outage, type Log } from "@tally/runtime";
import type { StepName, Tracer, TracerOptions } from "./tracer.ts";

const sendEveryMs = 1000;
const sendWithinMs = 5000;

const kinds: Readonly<Record<StepName, SpanKind>> = {
  received: SpanKind.SERVER,
  published: SpanKind.PRODUCER,
  stored: SpanKind.CONSUMER,
  ranked: SpanKind.CONSUMER,
};

/** Sends each step as a span. Drops what the collector does not accept; each outage is one line in the log. */
export function otlpTracer({ app, endpoint, log }: TracerOptions): Tracer {
  const exporter = new LoggingExporter(`${endpoint.replace(/\/+$/, "")}/v1/traces`, log);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": `tally-${app}`, "service.namespace": "tally" }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter, scheduledDelayMillis: sendEveryMs, exportTimeoutMillis: sendWithinMs }),
    ],
  });
  const tracer = provider.getTracer("tally");
  return {
    begin(name, parent, atMs) {
      const context =
        parent === undefined
          ? ROOT_CONTEXT
          : trace.setSpanContext(ROOT_CONTEXT, { ...parent, traceFlags: TraceFlags.SAMPLED, isRemote: true });
      const span = tracer.startSpan(name, { kind: kinds[name], startTime: epochMs(atMs) }, context);
      const { traceId, spanId } = span.spanContext();
      return {
        context: { traceId, spanId },
        end(fields) {
          for (const [field, value] of Object.entries(fields)) span.setAttribute(`tally.${field}`, value);
          span.end(epochMs(performance.now()));
        },
      };
    },
    async close() {
      await provider.shutdown().catch((error: unknown) => log.warn({ err: error }, "cannot send the last traces"));
    },
  };
}

const epochMs = (atMs: number): number => performance.timeOrigin + atMs;

/** The SDK reports failures to its own logger, which drops them. */
class LoggingExporter extends OTLPTraceExporter {
  readonly #outage: Outage;

  constructor(url: string, log: Log) {
    super({ url, timeoutMillis: sendWithinMs });
    this.#outage = new Outage(log, "send traces");
  }

  override export(...[spans, done]: Parameters<OTLPTraceExporter["export"]>): void {
    super.export(spans, (result) => {
      if (result.error === undefined) this.#outage.worked();
      else this.#outage.failed(result.error);
      done(result);
    });
  }
}
