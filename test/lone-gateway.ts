import { addressVariables, freePorts } from "@tally/local";
import { expect, vi } from "vitest";
import { startApp } from "./app-process.ts";
import type { TestSystem } from "./start-system.ts";

/** A gateway beside those of a system, with an environment that the test alone decides. It is killed when the test ends. */
export function spawnGateway({ namespace, addresses }: TestSystem, settings: NodeJS.ProcessEnv) {
  return startApp("gateway", {
    PATH: process.env["PATH"],
    NAMESPACE: namespace,
    GATEWAY_HEALTH_PORT: "0",
    GATEWAY_HEALTH_HOST: "127.0.0.1",
    ...addressVariables(addresses),
    ...settings,
  });
}

/** Likewise, on a free port of loopback; resolves when it is live. */
export async function startLoneGateway(system: TestSystem, settings: NodeJS.ProcessEnv) {
  const [port] = await freePorts(1);
  const gateway = spawnGateway(system, { HOST: "127.0.0.1", PORT: String(port), ...settings });
  const url = `http://127.0.0.1:${port}`;
  await vi.waitFor(async () => expect((await fetch(`${url}/health/live`)).status).toBe(200), 20_000);
  return { ...gateway, url };
}
