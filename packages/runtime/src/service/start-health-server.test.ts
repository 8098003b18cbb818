import { afterEach, expect, test, vi } from "vitest";
import { type HealthServer, type HealthServerOptions, startHealthServer } from "./start-health-server.ts";

const servers: HealthServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

const failing = { broker: { ok: false, detail: "no connection" }, database: { ok: true } };

test.each<readonly [string, HealthServerOptions["ready"], string, number, object]>([
  ["live", () => failing, "/health/live", 200, { status: "ok", checks: { process: { ok: true } } }],
  ["ready", () => ({ broker: { ok: true } }), "/health/ready?v=1", 200, { checks: { broker: { ok: true } } }],
  ["ready with a failing check", () => failing, "/health/ready", 503, { status: "failing", checks: failing }],
  ["a rejected check", () => Promise.reject(new Error("lost")), "/health/ready", 503, { status: "failing" }],
])("%s", async (_, ready, path, status, body) => {
  const get = await serve({ ready });
  expect(await get(path)).toEqual([status, expect.objectContaining(body)]);
  expect(await get("/health/live")).toEqual([200, expect.anything()]);
});

test("readiness and metrics are computed once in keptMs, also when they fail", async () => {
  const calls = { ready: 0, metrics: 0 };
  const get = await serve({
    keptMs: 60_000,
    ready() {
      calls.ready++;
      throw new Error("lost");
    },
    async metrics() {
      return JSON.stringify({ calls: ++calls.metrics });
    },
  });
  for (const path of ["/health/ready", "/metrics"]) {
    const responses = await Promise.all([get(path), get(path), get(path)]);
    expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1);
  }
  expect(calls).toEqual({ ready: 1, metrics: 1 });
});

test("results are computed again after keptMs", async () => {
  let calls = 0;
  const get = await serve({ keptMs: 20, metrics: async () => JSON.stringify(++calls) });
  await vi.waitFor(async () => expect(await get("/metrics")).toEqual([200, 3]), 10_000);
});

test("metrics are Prometheus text", async () => {
  await serve({});
  const response = await fetch(`http://127.0.0.1:${servers[0]?.port}/metrics`);
  expect(response.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(await response.text()).toBe("up 1\n");
});

test.each(["/", "/health", "//", "/metrics/", "/%"])("%s is an unknown path: 404 in JSON", async (path) => {
  const get = await serve({});
  expect(await get(path)).toEqual([404, expect.objectContaining({ error: "unknown path" })]);
});

test("a port that is taken is an error", async () => {
  await serve({});
  await expect(serve({ port: servers[0]?.port ?? 0 })).rejects.toMatchObject({ code: "EADDRINUSE" });
});

test("closing does not wait for a check that hangs", async () => {
  const checking = Promise.withResolvers<void>();
  const get = await serve({
    ready() {
      checking.resolve();
      return new Promise(() => {});
    },
  });
  const reply = get("/health/ready");
  await checking.promise;
  await Promise.all([expect(reply).rejects.toThrow("fetch failed"), servers.pop()?.close()]);
});

async function serve(o: Partial<HealthServerOptions>) {
  const server = await startHealthServer({
    port: 0,
    host: "127.0.0.1",
    keptMs: 0,
    ready: () => ({ broker: { ok: true } }),
    metrics: async () => "up 1\n",
    ...o,
  });
  servers.push(server);
  return async (path: string): Promise<readonly [number, unknown]> => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
    return [response.status, await response.json()];
  };
}
