import { once } from "node:events";
import { type ServerResponse, createServer } from "node:http";
import { type Health, healthReply } from "./health.ts";
import { kept } from "./kept.ts";

export interface HealthServerOptions {
  /** 0: any free port. */
  readonly port: number;
  readonly host: string;
  /** How long readiness and metrics are given again before they are computed anew. */
  readonly keptMs: number;
  /** Failing means: start this process again. */
  live(): Health;
  /** Failing means: it cannot do its work now. A rejection counts as failing. */
  ready(): Promise<Health> | Health;
  /** Prometheus text. */
  metrics(): Promise<string>;
}

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * /health/live, /health/ready and /metrics of an app, for its operators. Readiness and metrics are computed once in `keptMs`, however often
 * they are asked for. Rejects when the port is not free.
 */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const { keptMs } = options;
  const o = {
    ...options,
    ready: kept(async () => options.ready(), keptMs),
    metrics: kept(() => options.metrics(), keptMs),
  };
  const server = createServer((request, response) => {
    answer(o, request.url ?? "", response).catch((error: unknown) => {
      sendJson(response, 503, { status: "failing", checks: { answer: { ok: false, detail: String(error) } } });
    });
  });
  server.listen(o.port, o.host);
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : o.port,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  o: Pick<HealthServerOptions, "live" | "ready" | "metrics">,
  target: string,
  response: ServerResponse,
): Promise<void> {
  switch (target.split("?", 1).join()) {
    case "/health/live":
      return sendHealth(response, o.live());
    case "/health/ready":
      return sendHealth(response, await o.ready());
    case "/metrics": {
      const text = await o.metrics();
      response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }).end(text);
      return;
    }
    default:
      return sendJson(response, 404, { error: "unknown path", known: ["/health/live", "/health/ready", "/metrics"] });
  }
}

function sendHealth(response: ServerResponse, health: Health): void {
  const { status, body } = healthReply(health);
  sendJson(response, status, body);
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" }).end(text);
}
