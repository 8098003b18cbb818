import { requestSampler, tracedEventsMax, tracesHeader } from "@tally/telemetry";
import type { Step, TracedEvent, Tracer } from "@tally/telemetry";
import type { FastifyReply } from "fastify";

/** Begins the step "received" of a sampled request, at the time of its head. Undefined for every other request. */
export type TraceOf = (reply: FastifyReply) => Step | undefined;

/** `oneIn`: one of this many requests without a traceparent is sampled; 0: none. */
export function requestTraces(tracer: Tracer, oneIn: number): TraceOf {
  const sample = requestSampler(oneIn);
  return ({ request, raw }) => {
    const sampled = sample(request.headers["traceparent"]);
    return sampled && tracer.begin("received", sampled.parent, raw.takenAtMs ?? performance.now());
  };
}

export type TracedPublish = ReturnType<typeof beginPublish>;

/** The steps "published" of a batch. Call it when the batch is flushed. Beyond `tracedEventsMax` events, traces end
 * here. */
export function beginPublish(tracer: Tracer, domain: string, traced: readonly TracedEvent[]) {
  const atMs = performance.now();
  const steps = traced.slice(0, tracedEventsMax).map(({ eventId, context }) => {
    return { eventId, step: tracer.begin("published", context, atMs) };
  });
  return {
    /** For the message of the batch: its consumer continues the traces. */
    headers: tracesHeader(steps.map(({ eventId, step }) => ({ eventId, context: step.context }))),
    ended(outcome: string): void {
      for (const { eventId, step } of steps) step.end({ eventId, domain, outcome });
    },
  };
}
