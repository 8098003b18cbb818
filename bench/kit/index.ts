export { list, setting, share, type NamedValue } from "./flag-values.ts";
export { interruption } from "./interruption.ts";
export { servicesOption, startLabServices } from "./lab-services.ts";
export { eventState, isGood, LoadClient, type Reply, type Responded } from "./load-client.ts";
export { Mix, type Posting } from "./mix.ts";
export { quantile } from "./quantile.ts";
export { mixSeed, Random } from "./random.ts";
export { serveThread, startThread, type Thread } from "./thread.ts";
export { spreadOver } from "./workloads/workload.ts";
export type {
  BulkEntry,
  ClientRequest,
  Corrections,
  SourceGroup,
  SourceRun,
  Spread,
  Workload,
} from "./workloads/workload.ts";
export { workloadOf, workloads } from "./workloads/workloads.ts";
