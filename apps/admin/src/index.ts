export { exitCodesOf } from "./command.ts";
export { gatewaySettings as gatewayFlagSettings } from "./gateway/gateway.ts";
export { tallyProgram } from "./program.ts";
