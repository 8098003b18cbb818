export { StatusReader, type StatusServers } from "./status-reader.ts";
export { watchReplicas } from "./watch-replicas.ts";
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
} from "./status.ts";
