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
  ThreadReport,
} from "./status.ts";
