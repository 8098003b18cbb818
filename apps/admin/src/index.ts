export { exitCodesOf } from "./exit-codes.ts";
export { gatewaySettings as gatewayFlagSettings } from "./gateway/gateway-flags.ts";
export { tallyProgram } from "./program.ts";
