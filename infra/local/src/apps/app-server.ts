import { join } from "node:path";
import { ChildServer, type ServerHome } from "../process/child-server.ts";

export type AppName = "gateway" | "writer" | "ranker";

interface AppPlan {
  readonly app: AppName;
  /** Of the process: the app's name, or `gateway-1` and so on when there are several. */
  readonly name: string;
  /** Of the gateway: the port for clients. Of writer and ranker: the same as `healthPort`. */
  readonly port: number;
  /** The operator port. */
  readonly healthPort: number;
  readonly environment: NodeJS.ProcessEnv;
  /** The module and its arguments. Default: the app's. */
  readonly main?: readonly string[] | undefined;
  /** Flags for node, before the heap flags. */
  readonly execArgv: readonly string[];
}

/**
 * Flags for node that bound the memory of an app. The images and docs/operations.md have the same; a test compares them. With V8's defaults a
 * busy app grows to 300 MB and more, most of it garbage: a young generation of 128 MB, and an old one of three times its live objects.
 * With these bounds, gateway and writer stay at 200 MB for the same CPU (docs/performance.md). The last flag bounds the unforeseen: the process
 * ends and is started again, instead of the machine running out of memory.
 */
export const heapFlags = ["--max-semi-space-size=32", "--heap-growing-percent=100", "--max-old-space-size=512"];

/** One process of an app, not started yet. It serves when its readiness route succeeds. */
export function appServer(root: string, plan: AppPlan, home: ServerHome): ChildServer {
  const { app, name, port, healthPort, environment, execArgv, main } = plan;
  const prefix = app.toUpperCase();
  return new ChildServer(
    {
      name,
      program: process.execPath,
      args: [...execArgv, ...heapFlags, ...(main ?? [join(root, "apps", app, "src", "main.ts")])],
      environment: {
        ...(app === "gateway" && { PORT: String(port) }),
        [`${prefix}_HEALTH_PORT`]: String(healthPort),
        [`${prefix}_HEALTH_HOST`]: "127.0.0.1",
        ...environment,
      },
      port,
      ready: () => isReady(healthPort),
    },
    home,
  );
}

async function isReady(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/health/ready`, { signal: AbortSignal.timeout(2000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false; // not listening yet
  }
}
