export type { Operator } from "./operator.ts";
export type { AppName } from "./app-server.ts";
export { ServiceError } from "./service-error.ts";
export type { ServiceErrorCode } from "./service-error.ts";
export type { Addresses, Server, Services, StartOptions, StopOptions } from "./services.ts";
export { addressVariables, runTally } from "./run-tally.ts";
export { startApps } from "./start-apps.ts";
export type { Apps, AppsOptions } from "./start-apps.ts";
export { startServices } from "./start-services.ts";
