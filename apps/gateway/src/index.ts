export { gatewaySettings } from "./config.ts";
export { openIntake, type Commit, type Intake, type IntakeServers } from "./ingest/intake.ts";
export { Pace } from "./ingest/pace.ts";
export { startGateway, type GatewayParts } from "./start-gateway.ts";
