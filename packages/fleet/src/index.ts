export { type Fleet, type FleetOptions, startFleet } from "./start-fleet.ts";
export type { ThreadStatus } from "./supervised-thread.ts";
export { type ThreadBody, runThread } from "./run-thread.ts";
export { defaultThreads } from "./default-threads.ts";
export { FleetError, type FleetErrorCode } from "./fleet-error.ts";
