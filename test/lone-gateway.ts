import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { addressVariables } from "@tally/local";
import { expect, vi } from "vitest";
import type { TestSystem } from "./start-system.ts";

/** A gateway beside those of a system, with an environment that the test alone decides. */
export function spawnGateway({ root, namespace, addresses }: TestSystem, settings: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [join(root, "apps", "gateway", "src", "main.ts")], {
    env: {
      PATH: process.env["PATH"],
      NAMESPACE: namespace,
      GATEWAY_HEALTH_PORT: "0",
      GATEWAY_HEALTH_HOST: "127.0.0.1",
      ...addressVariables(addresses),
      ...settings,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  // A test that fails leaves nothing running.
  process.once("exit", () => child.kill("SIGKILL"));
  let log = "";
  let errors = "";
  child.stdout.on("data", (data: Buffer) => (log += data.toString()));
  child.stderr.on("data", (data: Buffer) => (errors += data.toString()));
  const exited = once(child, "exit").then(([code]: unknown[]) => code);
  return {
    log: () => log,
    errors: () => errors,
    exited,
    async stop() {
      child.kill("SIGTERM");
      return exited;
    },
  };
}

/** Likewise, on a free port of loopback; resolves when it is live. */
export async function startLoneGateway(system: TestSystem, settings: NodeJS.ProcessEnv) {
  const port = await freePort();
  const gateway = spawnGateway(system, { HOST: "127.0.0.1", PORT: String(port), ...settings });
  const url = `http://127.0.0.1:${port}`;
  await vi.waitFor(async () => expect((await fetch(`${url}/health/live`)).status).toBe(200), 20_000);
  return { ...gateway, url };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new TypeError("a TCP server has a port");
  return address.port;
}
