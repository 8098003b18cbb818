import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { LoadPlan } from "./sender.ts";

/** Serves until the test ends. Returns the URL. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("a port was expected");
  return `http://127.0.0.1:${address.port}`;
}

/** Steps only: a domain without a bulk route, whose response such a server would not know. The folder is removed when
 * the test ends. */
export async function stepsPlan(url: string, eventsPerSecond: number): Promise<LoadPlan> {
  const directory = await mkdtemp(join(tmpdir(), "tally-load-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  return {
    urls: [url],
    domains: ["steps"],
    eventsPerSecond,
    inFlightMax: 50,
    finishWithinMs: 10_000,
    seed: 1,
    spread: "narrow",
    directory,
  };
}
