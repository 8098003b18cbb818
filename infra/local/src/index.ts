export { runTally, startApps, type AppName, type Apps, type AppsOptions } from "./start-apps.ts";
export { startBalancer, type Balancer } from "./balancer.ts";
export type { Server, StopOptions } from "./process/child-server.ts";
export { firstSteps } from "./dev/welcome.ts";
export { claimDirectory } from "./process/directory-lock.ts";
export { freePorts, portsOfNoLauncher } from "./process/free-ports.ts";
export {
  onLauncherGone,
  cpuTimeIn,
  processesNaming,
  processIn,
  readCpuTime,
  readProcess,
  readProcesses,
  type CpuTime,
  type ProcessFigures,
} from "./process/processes.ts";
export { ServiceError, type ServiceErrorCode } from "./process/run-command.ts";
export { openTcpProxy, type OnPiece, type ProxyOptions, type ProxyState, type TcpProxy } from "./process/tcp-proxy.ts";
export { until } from "./process/until.ts";
export { accountsOf, addressVariables, type Addresses, type Role, type Accounts } from "./services/addresses.ts";
export { servicesSources, startPrivateServices, startServices } from "./services/start-services.ts";
export type { Operator, Services, ServicesSource, StartOptions, PrivateServices } from "./services/start-services.ts";
export { startSystem, type System, type SystemOptions } from "./start-system.ts";
