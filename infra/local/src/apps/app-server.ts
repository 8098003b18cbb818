import { join } from "node:path";
import { ChildServer, type ServerHome } from "../process/child-server.ts";

export type AppName = "gateway" | "writer" | "ranker";

export interface AppPlan {
  readonly app: AppName;
  /** Of the process: the app's own, or with a number behind it when there are several. */
  readonly name: string;
  /** Where it answers about its health; the gateway serves its clients there. */
  readonly port: number;
  /** Where it answers operators. Of writer and ranker the same as `port`. */
  readonly healthPort: number;
  readonly environment: NodeJS.ProcessEnv;
  /** Flags for node, before those of ours. */
  readonly execArgv: readonly string[];
}

// Left alone, V8 lets a busy app grow to 300 MB and more, most of it garbage: a young generation of 128 MB, and an old one of
// three times what lives. So bounded, gateway and writer stay at 200 MB for the same CPU (docs/performance.md). The last one is a bound for what no
// limit of ours has foreseen: the process ends and is started again, instead of the machine running out of memory.
const heapFlags = ["--max-semi-space-size=32", "--heap-growing-percent=100", "--max-old-space-size=512"];

/** One process of an app, not started yet. It serves when its readiness route says so. */
export function appServer(root: string, plan: AppPlan, home: ServerHome): ChildServer {
  const { app, name, port, healthPort, environment, execArgv } = plan;
  return new ChildServer(
    {
      name,
      program: process.execPath,
      args: [...execArgv, ...heapFlags, join(root, "apps", app, "src", "main.ts")],
      environment: { ...portVariables(plan), ...environment },
      port,
      ready: () => isReady(healthPort),
    },
    home,
  );
}

function portVariables({ app, port, healthPort }: AppPlan): NodeJS.ProcessEnv {
  const prefix = app.toUpperCase();
  return {
    ...(app === "gateway" ? { PORT: String(port) } : {}),
    [`${prefix}_HEALTH_PORT`]: String(healthPort),
    [`${prefix}_HEALTH_HOST`]: "127.0.0.1",
  };
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
