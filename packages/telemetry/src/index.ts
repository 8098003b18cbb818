export { connectHeartbeats, fleetHeartbeats, type Heartbeats } from "./heartbeats/connect-heartbeats.ts";
export { Progress } from "./heartbeats/progress.ts";
export { StatusReader } from "./status/status-reader.ts";
export { watchReplicas } from "./status/replicas.ts";
export {
  DomainStatus,
  HopStatus,
  LoggedError,
  ProcessStatus,
  QueueStatus,
  ServerStatus,
  Status,
} from "./status/status.ts";
export {
  requestSampler,
  tracedEventsMax,
  tracedEventsOf,
  tracesHeader,
  type TracedEvent,
} from "./traces/trace-context.ts";
export { openTracer, type Step, type Tracer } from "./traces/tracer.ts";
