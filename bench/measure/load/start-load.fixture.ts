import type { RequestListener } from "node:http";
import { onTestFinished } from "vitest";
import { listen } from "@tally/local/at-end";
import type { Fill, LoadPlan, Phase } from "./load-plan.ts";
import { startLoad } from "./start-load.ts";

/** A server that stops with its test. Counts connections. */
export async function serverOf(listener: RequestListener) {
  // Opens the connections of an open load; not part of it.
  const { server, url } = await listen((request, response) => {
    if (request.url === "/health/live") response.end();
    else listener(request, response);
  });
  let connections = 0;
  server.on("connection", () => connections++);
  return {
    url,
    get connections() {
      return connections;
    },
  };
}

/** Accepts a request at once, with an event id. */
export const accept: RequestListener = (request, response) => {
  request.resume();
  response.writeHead(201, { "tally-event-id": "01a1fb30-2980-71ee-89cd-4f71757df440" }).end();
};

/** A load on a server. Its threads stop with the test. */
export function loadOn(url: string, more: Partial<LoadPlan> = {}, threads = 1) {
  const plan = { domain: "purchases", connections: 10, seed: 1, spread: "wide", readShare: 0 } as const;
  const load = startLoad({ urls: [url], ...plan, responseWithinMs: 5000, ...more }, threads);
  onTestFinished(() => load.close());
  return { run: async (phase: Phase | Fill, idsFile?: string) => (await load.prepare(phase))(idsFile) };
}

/** Responds to each POST with a new id, and keeps the requests of each connection in order. */
export async function albumServer() {
  const asked = new Map<unknown, string[]>();
  let n = 0;
  const server = await serverOf((request, response) => {
    asked.getOrInsertComputed(request.socket, () => []).push(`${request.method} ${request.url}`);
    request.resume();
    request.on("end", () =>
      response.writeHead(200, request.method === "POST" ? { "tally-event-id": `album-${n++}` } : {}).end(),
    );
  });
  return { url: server.url, asked };
}
