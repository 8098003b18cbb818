export { fleetAppSettings, runFleetApp, type FleetAppConfig } from "./run-fleet-app.ts";
export { type ThreadBody, runThread } from "./run-thread.ts";
