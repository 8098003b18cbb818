import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { addressVariables, freePorts, type System } from "@tally/local";
import { expect, onTestFinished, vi } from "vitest";

/** A process of an app that need not become ready. It is killed when the test ends. */
interface AppProcess {
  /** What it has written to stdout and stderr so far. */
  output(): string;
  /** Resolves with its exit code when it has ended. */
  ended(): Promise<number | null>;
  /** Stops it; resolves with its exit code. */
  stop(): Promise<number | null>;
}

const apps = join(import.meta.dirname, "..", "apps");

/** Starts an app with the given environment and nothing else in it. */
export function startApp(app: string, environment: NodeJS.ProcessEnv): AppProcess {
  const child = spawn(process.execPath, [join(apps, app, "src", "main.ts")], {
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const closed = once(child, "close");
  const ended = async (): Promise<number | null> => {
    await closed;
    return child.exitCode;
  };
  onTestFinished(() => void child.kill("SIGKILL"));
  return {
    output: () => output,
    ended,
    stop() {
      child.kill("SIGTERM");
      return ended();
    },
  };
}

/** Starts one more gateway of a system; the test decides its settings. */
export function spawnGateway({ namespace, addresses }: System, settings: NodeJS.ProcessEnv): AppProcess {
  return startApp("gateway", {
    PATH: process.env["PATH"],
    NAMESPACE: namespace,
    GATEWAY_HEALTH_PORT: "0",
    ...addressVariables(addresses),
    ...settings,
  });
}

/** The same on a free port of loopback; resolves when it is live. One that ends, or is not live in 90 s, fails the test with its output. */
export async function startGateway(system: System, settings: NodeJS.ProcessEnv) {
  const [port] = await freePorts(1);
  const gateway = spawnGateway(system, { HOST: "127.0.0.1", PORT: String(port), ...settings });
  const url = `http://127.0.0.1:${port}`;
  const isLive = vi.waitFor(async () => expect((await fetch(`${url}/health/live`)).status).toBe(200), 90_000);
  const ended = gateway.ended().then((code) => expect.fail(`the gateway ended with ${code}`));
  try {
    await Promise.race([isLive, ended]);
  } catch (error) {
    throw new Error(`the gateway at ${url} is not live; it wrote:\n${gateway.output()}`, { cause: error });
  }
  return { ...gateway, url };
}
