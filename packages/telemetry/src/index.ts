export {
  connectHeartbeats,
  type FoundHeartbeat,
  type HeartbeatOptions,
  type Heartbeats,
  type ProcessReport,
  type RedisMaster,
} from "./heartbeats/connect-heartbeats.ts";
export {
  addFlows,
  addHops,
  FlowReport,
  Heartbeat,
  HeldReport,
  HopName,
  HopReport,
  ProblemReport,
  ThreadState,
  type WorkReport,
} from "./heartbeats/heartbeat.ts";
export { countOf, quantileOf } from "./heartbeats/hop-times.ts";
export { Progress } from "./heartbeats/progress.ts";
export { StatusReader, type StatusServers } from "./status/status-reader.ts";
export { watchReplicas } from "./status/watch-replicas.ts";
export {
  DeadLetterCounts,
  DomainStatus,
  Flow,
  HopStatus,
  LoggedError,
  ProcessStatus,
  QueueStatus,
  ServerStatus,
  Status,
} from "./status/status.ts";
export { requestSampler, type RequestSampler } from "./traces/request-sampler.ts";
export { tracedEventsMax, tracedEventsOf, tracesHeader, type TracedEvent } from "./traces/traced-event.ts";
export { openTracer, type Step, type Tracer } from "./traces/tracer.ts";
export { fleetHeartbeats } from "./heartbeats/fleet-heartbeats.ts";
