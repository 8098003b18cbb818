export { requestSampler, type RequestSampler } from "./request-sampler.ts";
export { tracedEventsMax, tracedEventsOf, tracesHeader, type TracedEvent } from "./traced-event.ts";
export { openTracer, type Step, type Tracer } from "./tracer.ts";
