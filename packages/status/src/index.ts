export { StatusReader, type StatusServers } from "./status-reader.ts";
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
