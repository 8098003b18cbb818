import { once } from "node:events";
import { type ServerResponse, createServer } from "node:http";

/** One check. `detail`, any JSON, is for the operator. */
interface Check {
  readonly ok: boolean;
  readonly detail?: unknown;
}

type Health = Readonly<Record<string, Check>>;

export interface HealthServerOptions {
  /** 0: any free port. */
  readonly port: number;
  readonly host: string;
  /** How long results of `ready` and `metrics` are reused, so that a flood of requests cannot load the servers. */
  readonly keptMs?: number;
  /** A failing check means: the process cannot work now. A rejection counts as failing. */
  ready(): Promise<Health> | Health;
  /** Prometheus text. */
  metrics(): Promise<string>;
}

export type HealthServer = Awaited<ReturnType<typeof startHealthServer>>;

/** /health/live (this process responds), /health/ready and /metrics of an app. Rejects when the port is not free. */
export async function startHealthServer(options: HealthServerOptions) {
  const { port, host, keptMs = 100 } = options;
  const ready = kept(async () => options.ready(), keptMs);
  const metrics = kept(() => options.metrics(), keptMs);

  async function respond(path: string, response: ServerResponse): Promise<void> {
    switch (path) {
      case "/health/live":
        return sendHealth(response, { process: { ok: true } });
      case "/health/ready":
        return sendHealth(response, await ready());
      case "/metrics":
        return send(response, 200, await metrics(), "text/plain; version=0.0.4; charset=utf-8");
      default:
        return sendJson(response, 404, { error: "unknown path", known: ["/health/live", "/health/ready", "/metrics"] });
    }
  }

  const server = createServer((request, response) => {
    respond(request.url?.split("?", 1)[0] ?? "", response).catch((error: unknown) =>
      sendHealth(response, { answer: { ok: false, detail: String(error) } }),
    );
  });
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    async close(): Promise<void> {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function sendHealth(response: ServerResponse, checks: Health): void {
  const isOk = Object.values(checks).every((check) => check.ok);
  sendJson(response, isOk ? 200 : 503, { status: isOk ? "ok" : "failing", checks });
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  send(response, status, JSON.stringify(body), "application/json; charset=utf-8");
}

function send(response: ServerResponse, status: number, body: string, type: string): void {
  response.writeHead(status, { "content-type": type }).end(body);
}

/** `compute`, called at most once in `keptMs`. Other calls get the promise of the last one, also when it rejects. */
export function kept<T>(compute: () => Promise<T>, keptMs: number): () => Promise<T> {
  let last: Promise<T> | undefined;
  let computedAt = 0;
  return () => {
    const now = performance.now();
    if (last === undefined || now - computedAt >= keptMs) {
      computedAt = now;
      last = compute();
    }
    return last;
  };
}
