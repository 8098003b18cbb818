export { connectHeartbeats, fleetHeartbeats, type Heartbeats } from "./heartbeats/connect-heartbeats.ts";
export { clockOffset } from "./heartbeats/clock-offset.ts";
export { Activity } from "./heartbeats/activity.ts";
export { statusReader, type StatusReader } from "./status/status-reader.ts";
export { watchReplicas } from "./status/replicas.ts";
export { DomainStatus, LoggedError, ProcessStatus, QueueStatus, Status } from "./status/status.ts";
export { openTracer } from "./traces/open-tracer.ts";
export { requestSampler, tracedEventsMax, tracedEventsOf, tracesHeader } from "./traces/tracer.ts";
export type { TracedEvent, Step, Tracer } from "./traces/tracer.ts";
