export {
  connectHeartbeats,
  type FoundHeartbeat,
  type HeartbeatOptions,
  type Heartbeats,
  type ProcessReport,
  type RedisMaster,
} from "./connect-heartbeats.ts";
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
} from "./heartbeat.ts";
export { countOf, quantileOf } from "./hop-times.ts";
export { Progress } from "./progress.ts";
